import { factor, ignored, retries, seconds, where } from '../option.ts';
import { defineSystem, exponential, linear, type System, written } from '../system.ts';

/** Procrastinate: its RetryStrategy. */
export const procrastinate: System = /* @__PURE__ */ defineSystem({
  name: 'procrastinate',
  title: 'Procrastinate',
  version: 'f099a75 (2026-06-27)',
  fidelity: 'exact',
  remarks: [
    '`max_attempts` counts retries. Three terms are added: `wait + linear_wait × (n - 1) + exponential_wait ^ n`.',
  ],
  options: {
    max_attempts: where(
      0,
      Infinity,
      retries(Infinity, 'executions after the first, despite its name; 0: no limit'),
    ),
    wait: seconds(0, 'a constant delay'),
    linear_wait: seconds(0, 'what each delay is longer'),
    exponential_wait: factor(0, 'seconds, raised to the number of the retry'),
    retry_exceptions: ignored('exceptions'),
  },
  policy: ({ max_attempts, wait, linear_wait, exponential_wait }) => {
    if (exponential_wait === 0) return { maxAttempts: max_attempts, backoff: linear(wait, linear_wait) };
    if (linear_wait === 0)
      return {
        maxAttempts: max_attempts,
        backoff: exponential(1_000 * exponential_wait, exponential_wait, wait),
      };
    return {
      maxAttempts: max_attempts,
      backoff: written((retry) => wait + linear_wait * (retry - 1) + 1_000 * exponential_wait ** retry),
    };
  },
});
