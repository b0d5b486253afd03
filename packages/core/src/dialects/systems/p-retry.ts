import { factor, flag, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** p-retry: its options. */
export const pRetry: System = /* @__PURE__ */ defineSystem({
  name: 'p-retry',
  title: 'p-retry',
  version: '9.0.0',
  fidelity: 'exact',
  options: {
    retries: retries(10, 'executions after the first'),
    factor: factor(2, 'what each delay is multiplied by'),
    minTimeout: ms(1_000, 'the first delay'),
    maxTimeout: ms(Infinity, 'the longest delay'),
    randomize: flag(false, 'whether a delay is drawn from itself to twice itself'),
    maxRetryTime: ms(Infinity, 'the longest time of all attempts together'),
  },
  policy: ({ factor: by, minTimeout, maxTimeout, randomize, maxRetryTime, ...values }) => ({
    maxAttempts: values.retries,
    backoff: exponential(minTimeout, by),
    jitter: randomize ? 'bounded' : 'none',
    maxDelay: maxTimeout,
    capAt: 'after-jitter',
    ...(maxRetryTime > 0 && { totalTimeout: maxRetryTime }),
  }),
});
