import { factor, flag, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System, written } from '../system.ts';

/** async-retry: its options. */
export const asyncRetry: System = /* @__PURE__ */ defineSystem({
  name: 'async-retry',
  title: 'async-retry',
  version: '1.3.3',
  fidelity: 'exact',
  remarks: [
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
  policy: ({ factor: by, minTimeout, maxTimeout, randomize, forever, ...values }) => ({
    maxAttempts: forever ? Infinity : values.retries,
    backoff: forever
      ? written((retry) => minTimeout * by ** (Math.min(retry, Math.max(values.retries - 1, 1)) - 1))
      : exponential(minTimeout, by),
    jitter: randomize ? 'bounded' : 'none',
    maxDelay: maxTimeout,
    capAt: 'after-jitter',
  }),
});
