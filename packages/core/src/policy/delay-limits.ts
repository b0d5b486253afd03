import { wholeUnits } from '../delay/whole-units.ts';
import type { Fields } from './fields.ts';
import type { Backoff, Policy } from './policy.ts';

const DEFAULT_MAX_DELAY_MS = 20_000;

/** The default cap never cuts what was written as a base: a constant '30s' waits 30 s. */
export function defaultMaxDelay(backoff: Backoff): number {
  if (backoff.type === 'none') return DEFAULT_MAX_DELAY_MS;
  const written =
    backoff.type === 'list'
      ? backoff.delaysMs.reduce((longest, ms) => Math.max(longest, ms), 0)
      : backoff.baseMs;
  return Math.max(DEFAULT_MAX_DELAY_MS, written);
}

/** Reports limits that leave each other no room: no delay, or no attempt, could keep both. */
export function checkDelays(policy: Policy, fields: Fields): void {
  const { minDelayMs, maxDelayMs, granularityMs } = policy;
  if (policy.initialDelayMs >= policy.totalTimeoutMs) {
    const message = `must be less than totalTimeout (${policy.totalTimeoutMs} ms)`;
    fields.fail('initialDelay', message, 'Raise totalTimeout: no attempt could start.');
  }
  if (minDelayMs > maxDelayMs) {
    fields.fail(
      'minDelay',
      `must be at most maxDelay (${maxDelayMs} ms)`,
      'Raise maxDelay or lower minDelay.',
    );
  } else if (granularityMs > 0 && wholeUnits(minDelayMs, granularityMs) * granularityMs > maxDelayMs) {
    const cure = 'Make one of them a whole multiple of granularity.';
    fields.fail('granularity', `must have a multiple from minDelay to maxDelay (${maxDelayMs} ms)`, cure);
  }
}
