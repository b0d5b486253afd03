import { warnIf } from '../dialect.ts';
import { choice, factor, ignored, retries, seconds } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** AWS Step Functions: `Retry` of a state. */
export const stepFunctions: System = /* @__PURE__ */ defineSystem({
  name: 'step-functions',
  title: 'AWS Step Functions',
  version: 'Amazon States Language',
  documentation: {
    source: 'Handling errors in workflows, in the developer guide',
    readOn: '2026-11-28',
  },
  fidelity: 'exact',
  options: {
    IntervalSeconds: seconds(1_000, 'the first delay'),
    MaxAttempts: retries(3, 'executions after the first, despite its name'),
    BackoffRate: factor(2, 'what each delay is multiplied by'),
    MaxDelaySeconds: seconds(Infinity, 'the longest delay'),
    JitterStrategy: choice(['NONE', 'FULL'], 'NONE', 'whether a delay is drawn from 0 to itself'),
    ErrorEquals: ignored('names of errors'),
  },
  policy: ({ IntervalSeconds, MaxAttempts, BackoffRate, MaxDelaySeconds, JitterStrategy }) => ({
    maxAttempts: MaxAttempts,
    backoff: exponential(IntervalSeconds, BackoffRate),
    jitter: JitterStrategy === 'FULL' ? 'full' : 'none',
    maxDelay: MaxDelaySeconds,
  }),
  warnings: ({ IntervalSeconds, BackoffRate, MaxDelaySeconds }) => [
    warnIf(MaxDelaySeconds < Infinity && (MaxDelaySeconds < 1_000 || MaxDelaySeconds > 31_622_400_000), {
      code: 'OUT_OF_RANGE',
      path: 'MaxDelaySeconds',
      message: 'the longest delay is from 1 to 31622400 s there',
      cure: 'Leave it out for no limit.',
    }),
    warnIf(IntervalSeconds < 1_000, {
      code: 'OUT_OF_RANGE',
      path: 'IntervalSeconds',
      message: 'the first delay is at least 1 s there',
      cure: 'Use a whole number of seconds ≥ 1.',
    }),
    warnIf(BackoffRate < 1, {
      code: 'OUT_OF_RANGE',
      path: 'BackoffRate',
      message: 'a rate below 1 is refused there',
      cure: 'Use 1 for a constant delay.',
    }),
  ],
});
