import { span, value, where } from '../option.ts';
import { defineSystem, exponential, linear, type System, type SystemPolicy, written } from '../system.ts';
import { asMaxStart } from '../texts.ts';

/** Lengths of time in milliseconds. */
interface Growth {
  readonly min: number;
  readonly max: number;
  readonly doublings: number;
}

/** Doubled a number of times, then longer by the last step each time, as in `CalculateBackoffUsec` of Google's task queue stub. */
function backoffOf({ min, max, doublings }: Growth): SystemPolicy['backoff'] {
  const step = min * 2 ** doublings;
  if (doublings === 0) return linear(min);
  if (step >= max) return exponential(min);
  return written((retry) => (retry <= doublings ? min * 2 ** (retry - 1) : step * (retry - doublings)));
}

/** The sum of the delays of the first retries. */
function sumOf(retries: number, { min, max, doublings }: Growth): number {
  const step = min * 2 ** doublings;
  const belowMax = min > 0 ? Math.ceil(Math.log2(max / min)) : Infinity;
  const doubled = Math.max(Math.min(retries, doublings + 1, belowMax), 0);
  // The last of the doubled delays is one step long.
  const steps = step < max ? Math.max(Math.min(retries - doublings, Math.ceil(max / step) - 1), 1) : 1;
  const doubledMs = min > 0 ? min * (2 ** doubled - 1) : 0;
  const steppedMs = steps > 1 ? step * ((steps * (steps + 1)) / 2 - 1) : 0;
  return doubledMs + steppedMs + max * Math.max(retries - doubled - (steps - 1), 0);
}

/** How many attempts are made, without time of their own, until this much has passed. */
function attemptsWithin(limitMs: number, growth: Growth): number {
  let [least, most] = [0, Number.MAX_SAFE_INTEGER];
  if (sumOf(most, growth) < limitMs) return Infinity;
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (sumOf(middle, growth) < limitMs) least = middle;
    else most = middle;
  }
  return most + 1;
}

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
    // Google's stub raises 2 to the 1023rd power at most.
    const growth = { min: minBackoff, max: maxBackoff, doublings: Math.min(maxDoublings, 1_023) };
    const least = maxRetryDuration > 0 ? attemptsWithin(maxRetryDuration, growth) : 1;
    return {
      maxAttempts: maxRetryDuration > 0 && maxAttempts === Infinity ? least : Math.max(maxAttempts, least),
      backoff: backoffOf(growth),
      maxDelay: maxBackoff,
      // Without a delay, any number of attempts fits in.
      ...(least === Infinity && { totalTimeout: maxRetryDuration }),
    };
  },
});
