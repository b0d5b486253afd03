import { retries, seconds } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';

/** Que: its default delays. */
export const que: System = /* @__PURE__ */ defineSystem({
  name: 'que',
  title: 'Que',
  version: '17fb2c3 (2024-10-28)',
  fidelity: 'exact',
  options: {
    maximum_retry_count: retries(15, 'executions after the first'),
    retry_interval: seconds(undefined, 'a constant delay instead of `n ^ 4 + 3`'),
  },
  policy: ({ maximum_retry_count, retry_interval }) => ({
    maxAttempts: maximum_retry_count,
    backoff:
      retry_interval === undefined
        ? { type: 'polynomial', base: 1_000, exponent: 4, offset: 3_000 }
        : constant(retry_interval),
  }),
});
