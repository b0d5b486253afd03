import { choice, ms, retries } from '../option.ts';
import { defineSystem, exponential, linear, type System } from '../system.ts';

/** axios-retry: its options. */
export const axiosRetry: System = /* @__PURE__ */ defineSystem({
  name: 'axios-retry',
  title: 'axios-retry',
  version: '4.5.0',
  fidelity: 'exact',
  remarks: ['`exponentialDelay` also waits up to 20 % longer than a `Retry-After` asks.'],
  options: {
    retries: retries(3, 'requests after the first'),
    retryDelay: choice(
      ['default', 'exponentialDelay', 'linearDelay'],
      'default',
      'no delay, `100 × 2^n` and up to 20 % more, or `delayFactor × n`',
    ),
    delayFactor: ms(100, 'of the two functions'),
  },
  policy: ({ retryDelay, delayFactor, ...values }) => ({
    maxAttempts: values.retries,
    ...(retryDelay === 'exponentialDelay' && { backoff: exponential(2 * delayFactor), jitter: { up: 0.2 } }),
    ...(retryDelay === 'linearDelay' && { backoff: linear(delayFactor) }),
    ...(retryDelay === 'default' && { backoff: { type: 'none' } }),
    retryAfter: {
      mode: 'floor',
      max: Infinity,
      jitter: retryDelay === 'exponentialDelay' ? { up: 0.2 } : 'none',
    },
  }),
});
