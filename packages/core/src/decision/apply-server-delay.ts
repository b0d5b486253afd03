import { askRandom } from '../delay/backoff.ts';
import { drawBetween } from '../delay/jitter.ts';
import type { ServerDelayRule } from '../policy/policy.ts';
import type { DecisionContext, ServerDelay } from './decision.ts';

/** What a server asked for, and what its jitter needs. */
export interface Asked extends Pick<DecisionContext, 'random'> {
  readonly asked: ServerDelay;
  /** Milliseconds to the deadline, which jitter alone does not reach. */
  readonly limitMs: number;
}

/**
 * Returns the delay before a retry: the policy's own, raised to the server's delay or replaced by it. The server's is spread upward.
 *
 * @returns milliseconds; `undefined` when the server refuses, or the retrying ends because it asks for more than `max`
 */
export function applyServerDelay(
  rule: ServerDelayRule,
  ownMs: number,
  { asked, limitMs, random }: Asked,
): number | undefined {
  const { maxMs, mode, beyondMax } = rule;
  if (mode === 'ignore') return ownMs;
  if (asked.type === 'refused') return undefined;
  if (asked.type !== 'delay' || !(asked.delayMs >= 0)) return ownMs;
  const isBeyond = asked.delayMs > maxMs;
  if (isBeyond && beyondMax !== 'clamp') return beyondMax === 'ignore' ? ownMs : undefined;
  const leastMs = Math.min(asked.delayMs, maxMs, Number.MAX_VALUE);
  const followedMs = spread(leastMs, highestMs(rule, leastMs, limitMs), random);
  return mode === 'replace' ? followedMs : Math.max(ownMs, followedMs);
}

/** Jitter alone does not lead over the maximum, nor over half of the time that is left to the deadline. */
function highestMs({ maxMs, jitter }: ServerDelayRule, leastMs: number, limitMs: number): number {
  if (jitter === 'none') return leastMs;
  const upMs = 'up' in jitter ? leastMs * jitter.up : jitter.plusMs;
  const highest = Math.min(leastMs + upMs, maxMs, Number.MAX_VALUE);
  return leastMs < limitMs ? Math.min(highest, leastMs + (limitMs - leastMs) / 2) : leastMs;
}

/** A broken `random` must not make it shorter. */
function spread(leastMs: number, highest: number, random: () => number): number {
  if (!(highest > leastMs)) return leastMs;
  return Math.max(drawBetween([leastMs, highest], askRandom({ random }), 'real') || 0, leastMs);
}
