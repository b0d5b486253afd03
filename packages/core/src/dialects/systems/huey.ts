import { factor, retries, seconds } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Huey: the retry options of a task. */
export const huey: System = /* @__PURE__ */ defineSystem({
  name: 'huey',
  title: 'Huey',
  version: '3.3.0',
  fidelity: 'exact',
  options: {
    retries: retries(0, 'executions after the first'),
    retry_delay: seconds(0, 'the first delay'),
    retry_backoff: factor(1, 'what each delay is multiplied by'),
  },
  policy: ({ retry_delay, retry_backoff, ...values }) => ({
    maxAttempts: values.retries,
    backoff: exponential(retry_delay, retry_backoff || 1),
  }),
});
