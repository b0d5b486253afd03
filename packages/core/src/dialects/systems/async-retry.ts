import { factor, flag, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System, type SystemPolicy, written } from '../system.ts';

/** The package `retry` computes the delays of all retries in advance, each at least 1 ms before it grows, and sorts them. */
function sorted({ first, by, count }: { first: number; by: number; count: number }): SystemPolicy['backoff'] {
  return written((retry) => {
    const index = Math.min(retry, count);
    return first * by ** (by < 1 ? count - index : index - 1);
  });
}

/** async-retry: its options. */
export const asyncRetry: System = /* @__PURE__ */ defineSystem({
  name: 'async-retry',
  title: 'async-retry',
  version: '1.3.3',
  fidelity: 'exact',
  remarks: [
    'Its delays are sorted: a `factor` below 1 grows up to `minTimeout`. With `randomize` and a `factor` below 2 the first delays are shorter on average, and the last ones longer; here each is drawn by itself, in the same range.',
    'With `forever` and `randomize`, it draws its last delay once and waits it for ever; here each is drawn.',
  ],
  options: {
    retries: retries(10, 'executions after the first'),
    factor: factor(2, 'what each delay is multiplied by'),
    minTimeout: ms(1_000, 'the first delay'),
    maxTimeout: ms(Infinity, 'the longest delay'),
    randomize: flag(true, 'whether a delay is drawn from itself to twice itself'),
    forever: flag(false, 'whether the last delay repeats for ever'),
  },
  check: ({ minTimeout, maxTimeout }, fields) => {
    if (minTimeout > maxTimeout)
      fields.fail('minTimeout', 'must not be above maxTimeout, there too', 'Raise maxTimeout.');
  },
  policy: ({ factor: by, minTimeout, maxTimeout, randomize, forever, ...values }) => ({
    maxAttempts: forever ? Infinity : values.retries,
    backoff:
      forever || by < 1
        ? sorted({ first: Math.max(minTimeout, 1), by, count: Math.max(values.retries - 1, 1) })
        : exponential(Math.max(minTimeout, 1), by),
    jitter: randomize ? 'bounded' : 'none',
    maxDelay: maxTimeout,
    capAt: 'after-jitter',
  }),
});
