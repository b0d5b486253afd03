import { askedDelayMs } from '../markers.ts';
import type { PolicySettings } from '../policy/policy.ts';
import type { ServerDelay } from './decision.ts';

const ABSENT: ServerDelay = { type: 'absent' };

/** Returns the delay that a `RetryAfterError` asks for; absent for any other error. */
export function serverDelayOf(error: unknown): ServerDelay {
  const delayMs = askedDelayMs(error);
  return delayMs === undefined ? ABSENT : { type: 'delay', delayMs };
}

/**
 * Returns the delay before a retry: the policy's own, raised to the server's delay or replaced by it.
 *
 * @returns milliseconds; `undefined` when the server refuses or asks for more than `retryAfter.max`
 */
export function applyServerDelay(
  policy: PolicySettings,
  ownMs: number,
  asked: ServerDelay,
): number | undefined {
  const { maxMs, mode } = policy.retryAfter;
  if (mode === 'ignore') return ownMs;
  if (asked.type === 'refused') return undefined;
  if (asked.type !== 'delay' || !(asked.delayMs >= 0)) return ownMs;
  if (mode === 'replace') return Math.min(asked.delayMs, maxMs, Number.MAX_VALUE);
  return asked.delayMs > maxMs ? undefined : Math.min(Math.max(ownMs, asked.delayMs), Number.MAX_VALUE);
}
