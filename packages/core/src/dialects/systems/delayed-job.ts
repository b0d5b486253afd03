import { executions, ignored } from '../option.ts';
import { defineSystem, type System } from '../system.ts';

/** delayed_job: its default delays. */
export const delayedJob: System = /* @__PURE__ */ defineSystem({
  name: 'delayed-job',
  title: 'delayed_job',
  version: '4.1.9',
  fidelity: 'exact',
  options: {
    max_attempts: executions(25, 'all executions'),
    default: ignored('its defaults'),
  },
  policy: ({ max_attempts }) => ({
    maxAttempts: max_attempts,
    backoff: { type: 'polynomial', base: 1_000, exponent: 4, offset: 5_000 },
  }),
});
