import { span, value } from '../option.ts';
import { defineSystem, list, type System } from '../system.ts';
import { asMaxStart } from '../texts.ts';

/** Doubled a number of times, then longer by the last step each time. */
function delayOf(min: number, doublings: number): (retry: number) => number {
  return (retry) => min * 2 ** Math.min(retry - 1, doublings) * Math.max(retry - doublings, 1);
}

/** Google Cloud Tasks: `retryConfig` of a queue. */
export const cloudTasks: System = /* @__PURE__ */ defineSystem({
  name: 'cloud-tasks',
  title: 'Google Cloud Tasks',
  version: 'v2',
  documentedOn: '2026-11-28',
  fidelity: 'exact',
  options: {
    maxAttempts: value(
      { unit: 'executions', parse: asMaxStart, must: 'a number of executions; -1: no limit' },
      100,
      'all executions; -1: no limit',
    ),
    maxRetryDuration: span('0s', 'the longest time of all attempts together; 0: no limit'),
    minBackoff: span('0.1s', 'the first delay'),
    maxBackoff: span('3600s', 'the longest delay'),
    maxDoublings: value(
      {
        unit: 'number',
        parse: (given) => (Number.isInteger(given) && Number(given) >= 0 ? Number(given) : undefined),
        must: 'an integer ≥ 0',
      },
      16,
      'how often it is doubled, before it grows by the same step',
    ),
  },
  policy: ({ maxAttempts, maxRetryDuration, minBackoff, maxBackoff, maxDoublings }) => ({
    maxAttempts,
    backoff: list(
      Array.from({ length: 200 }, (_, index) =>
        Math.min(delayOf(minBackoff, maxDoublings)(index + 1), maxBackoff),
      ),
    ),
    maxDelay: maxBackoff,
    ...(maxRetryDuration > 0 && { totalTimeout: maxRetryDuration }),
  }),
});
