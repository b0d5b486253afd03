import { span } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Kubernetes client-go: ItemExponentialFailureRateLimiter. */
export const k8sWorkqueue: System = /* @__PURE__ */ defineSystem({
  name: 'k8s-workqueue',
  title: 'Kubernetes work queue',
  version: 'client-go 32ce75a7d (2026-07-24)',
  fidelity: 'exact',
  options: {
    baseDelay: span('5ms', 'the first delay'),
    maxDelay: span('1000s', 'the longest delay'),
  },
  policy: ({ baseDelay, maxDelay }) => ({ maxAttempts: Infinity, backoff: exponential(baseDelay), maxDelay }),
});
