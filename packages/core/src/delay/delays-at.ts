import { findMatch } from '../matching/find-match.ts';
import type { ErrorDelays, Jitter } from '../policy/delays.ts';
import type { PolicySettings } from '../policy/policy.ts';

/**
 * Returns the settings with the backoff and the jitter that one retry has: those after its error, and a jitter that grows as it is for
 * this retry. Most policies have neither, and are returned as they are.
 *
 * @param retry - an integer ≥ 1, from which the backoff counts
 * @param error - `undefined`: an error that no entry of `delays` matches
 */
export function delaysAt(policy: PolicySettings, retry: number, error: unknown): PolicySettings {
  const { delays, jitter } = policy;
  if (delays.length === 0 && typeof jitter === 'string') return policy;
  const own = error === undefined ? policy : (entryOf(delays, error) ?? policy);
  const grown = grownJitter(own.jitter, retry);
  return own === policy && grown === jitter ? policy : { ...policy, backoff: own.backoff, jitter: grown };
}

function entryOf(delays: readonly ErrorDelays[], error: unknown): ErrorDelays | undefined {
  return delays.find(({ on }) => findMatch(on, error) !== -1);
}

/** Returns the jitter without its `incrementMs`, which is in `plusMs`. */
function grownJitter(jitter: Jitter, retry: number): Jitter {
  if (typeof jitter === 'string' || !('incrementMs' in jitter)) return jitter;
  const { minusMs = 0, plusMs = 0, incrementMs = 0 } = jitter;
  return { minusMs, plusMs: Math.min(plusMs + incrementMs * (retry - 1), Number.MAX_VALUE) };
}

/**
 * Returns the number of the retry by which the backoff counts, an integer from 0 to `Number.MAX_SAFE_INTEGER`; 0 is a first retry that
 * is immediate.
 */
export function backoffRetry({ immediateFirst }: PolicySettings, retry: number): number {
  // NaN and numbers below 1 count as 1.
  const counted = retry >= 1 ? Math.min(Math.floor(retry), Number.MAX_SAFE_INTEGER) : 1;
  return immediateFirst ? counted - 1 : counted;
}
