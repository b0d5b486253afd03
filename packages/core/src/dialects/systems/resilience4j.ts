import { asSpan, executions, factor, flag, ignored, share, span, value } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

/** resilience4j: its RetryConfig, by the names of its properties. */
export const resilience4j: System = /* @__PURE__ */ defineSystem({
  name: 'resilience4j',
  title: 'resilience4j',
  version: '2.3',
  documentedOn: '2026-11-28',
  fidelity: 'exact',
  remarks: ['A delay is drawn before it is cut at the longest one.'],
  options: {
    maxAttempts: executions(3, 'all executions'),
    waitDuration: span('500ms', 'the first delay'),
    enableExponentialBackoff: flag(false, 'whether the delay grows'),
    exponentialBackoffMultiplier: factor(1.5, 'what each delay is multiplied by'),
    exponentialMaxWaitDuration: value(
      { unit: 'text', parse: asSpan, must: 'a length of time like "30s"' },
      Infinity,
      'the longest delay',
    ),
    enableRandomizedWait: flag(false, 'whether a delay is drawn'),
    randomizedWaitFactor: share(0.5, 'by what part of itself a delay may be shorter or longer'),
    retryExceptions: ignored('exceptions'),
    ignoreExceptions: ignored('exceptions'),
  },
  policy: (values) => ({
    maxAttempts: values.maxAttempts,
    backoff: values.enableExponentialBackoff
      ? exponential(values.waitDuration, values.exponentialBackoffMultiplier)
      : constant(values.waitDuration),
    jitter: values.enableRandomizedWait ? { proportional: values.randomizedWaitFactor } : 'none',
    maxDelay: values.exponentialMaxWaitDuration,
    capAt: 'after-jitter',
  }),
});
