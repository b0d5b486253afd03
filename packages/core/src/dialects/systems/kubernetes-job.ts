import { retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Kubernetes: `backoffLimit` of a Job. */
export const kubernetesJob: System = /* @__PURE__ */ defineSystem({
  name: 'kubernetes-job',
  title: 'Kubernetes Job',
  version: '1.34',
  documentedOn: '2026-11-28',
  fidelity: 'exact',
  options: { backoffLimit: retries(6, 'pods after the first') },
  policy: ({ backoffLimit }) => ({
    maxAttempts: backoffLimit,
    backoff: exponential(10_000),
    maxDelay: 360_000,
  }),
});
