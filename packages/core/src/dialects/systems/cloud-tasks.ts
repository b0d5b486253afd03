import { span, value, where } from '../option.ts';
import { defineSystem, list, type System } from '../system.ts';
import { asMaxStart } from '../texts.ts';

/** Doubled a number of times, then longer by the last step each time. */
function delayOf(min: number, doublings: number): (retry: number) => number {
  return (retry) => min * 2 ** Math.min(retry - 1, doublings) * Math.max(retry - doublings, 1);
}

/** Attempts that are made, without time of their own, before this much has passed. */
function attemptsWithin(limitMs: number, delay: (retry: number) => number): number {
  let elapsedMs = 0;
  let attempts = 1;
  while (elapsedMs < limitMs && attempts < MAX_COUNTED) elapsedMs += delay(attempts++);
  return attempts;
}

const MAX_COUNTED = 100_000;

/** Google Cloud Tasks: `retryConfig` of a queue. */
export const cloudTasks: System = /* @__PURE__ */ defineSystem({
  name: 'cloud-tasks',
  title: 'Google Cloud Tasks',
  version: 'v2',
  documentation: {
    source: 'RetryConfig in the reference of v2, and the queue that its quickstart shows',
    readOn: '2026-11-28',
  },
  fidelity: 'exact',
  remarks: [
    'With `maxRetryDuration` it stops only when both limits are reached: here the attempts are as many as fit in that time, if that is more.',
  ],
  options: {
    maxAttempts: where(
      0,
      100,
      value(
        { unit: 'executions', parse: asMaxStart, must: 'a number of executions; -1: no limit' },
        100,
        'all executions; -1: no limit, and 0 is the default, too',
      ),
    ),
    maxRetryDuration: span('0s', 'the time in which it is retried although `maxAttempts` is reached'),
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
  policy: ({ maxAttempts, maxRetryDuration, minBackoff, maxBackoff, maxDoublings }) => {
    const grown = delayOf(minBackoff, maxDoublings);
    const delay = (retry: number): number => Math.min(grown(retry), maxBackoff);
    const least = maxRetryDuration > 0 ? attemptsWithin(maxRetryDuration, delay) : 1;
    return {
      maxAttempts: maxRetryDuration > 0 && maxAttempts === Infinity ? least : Math.max(maxAttempts, least),
      backoff: list(Array.from({ length: 200 }, (_, index) => delay(index + 1))),
      maxDelay: maxBackoff,
    };
  },
});
