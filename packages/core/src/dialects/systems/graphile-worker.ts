import { atLeast, executions } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Graphile Worker: a job has `e^n` seconds. */
export const graphileWorker: System = /* @__PURE__ */ defineSystem({
  name: 'graphile-worker',
  title: 'Graphile Worker',
  version: '0.18.0',
  fidelity: 'exact',
  options: { maxAttempts: atLeast(1, executions(25, 'all executions')) },
  policy: ({ maxAttempts }) => ({
    maxAttempts,
    backoff: exponential(1_000 * Math.E, Math.E),
    maxDelay: 1_000 * Math.E ** 10,
  }),
});
