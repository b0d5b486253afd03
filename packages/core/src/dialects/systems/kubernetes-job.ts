import { retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Kubernetes: `backoffLimit` of a Job. */
export const kubernetesJob: System = /* @__PURE__ */ defineSystem({
  name: 'kubernetes-job',
  title: 'Kubernetes Job',
  version: '1.34',
  documentation: {
    source: 'job_controller.go and backoff_utils.go',
    readOn: '2026-11-28',
  },
  fidelity: 'exact',
  remarks: [
    'The longest delay is 10 minutes; pages of its documentation still say six, as it was up to 1.26.',
    'With `restartPolicy: OnFailure`, the kubelet restarts the container in its pod, by delays of its own.',
  ],
  options: { backoffLimit: retries(6, 'pods after the first') },
  policy: ({ backoffLimit }) => ({
    maxAttempts: backoffLimit,
    backoff: exponential(10_000),
    maxDelay: 600_000,
  }),
});
