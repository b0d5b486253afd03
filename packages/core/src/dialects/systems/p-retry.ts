import { LAST_WAIT_CUT } from '../deadline.ts';
import { factor, flag, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** p-retry: its options. */
export const pRetry: System = /* @__PURE__ */ defineSystem({
  name: 'p-retry',
  title: 'p-retry',
  version: '9.0.0',
  fidelity: 'exact',
  remarks: [
    'A `TypeError` is not retried there, but for those of `fetch`; nor is what was thrown and is no error, which it makes a `TypeError`.',
  ],
  options: {
    retries: retries(10, 'executions after the first'),
    factor: factor(2, 'what each delay is multiplied by; 0 is 1'),
    minTimeout: ms(1_000, 'the first delay'),
    maxTimeout: ms(Infinity, 'the longest delay'),
    randomize: flag(false, 'whether a delay is drawn from itself to twice itself'),
    maxRetryTime: ms(Infinity, 'the longest time of all attempts together'),
  },
  deadline: { option: 'maxRetryTime', limitOf: ({ maxRetryTime }) => maxRetryTime, there: LAST_WAIT_CUT },
  policy: ({ factor: by, minTimeout, maxTimeout, randomize, ...values }) => ({
    maxAttempts: values.retries,
    backoff: exponential(minTimeout, by || 1),
    jitter: randomize ? 'bounded' : 'none',
    maxDelay: maxTimeout,
    capAt: 'after-jitter',
  }),
});
