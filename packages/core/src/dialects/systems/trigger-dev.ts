import { executions, factor, flag, ms } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Trigger.dev: the `retry` options of a task. */
export const triggerDev: System = /* @__PURE__ */ defineSystem({
  name: 'trigger-dev',
  title: 'Trigger.dev',
  version: '4.8.3',
  fidelity: 'exact',
  options: {
    maxAttempts: executions(3, 'all executions'),
    factor: factor(2, 'what each delay is multiplied by'),
    minTimeoutInMs: ms(1_000, 'the first delay'),
    maxTimeoutInMs: ms(60_000, 'the longest delay'),
    randomize: flag(true, 'whether a delay is drawn from itself to twice itself'),
  },
  policy: ({ maxAttempts, factor: by, minTimeoutInMs, maxTimeoutInMs, randomize }) => ({
    maxAttempts,
    backoff: exponential(minTimeoutInMs, by),
    jitter: randomize ? 'bounded' : 'none',
    maxDelay: maxTimeoutInMs,
    capAt: 'after-jitter',
  }),
});
