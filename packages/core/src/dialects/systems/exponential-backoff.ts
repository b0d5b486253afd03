import { choice, executions, factor, flag, ms } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** exponential-backoff: its options. */
export const exponentialBackoff: System = /* @__PURE__ */ defineSystem({
  name: 'exponential-backoff',
  title: 'exponential-backoff',
  version: '3.1.3',
  fidelity: 'exact',
  options: {
    numOfAttempts: executions(10, 'all executions'),
    startingDelay: ms(100, 'the first delay'),
    timeMultiple: factor(2, 'what each delay is multiplied by'),
    maxDelay: ms(Infinity, 'the longest delay'),
    jitter: choice(['none', 'full'], 'none', 'whether a delay is drawn from 0 to itself'),
    delayFirstAttempt: flag(false, 'whether the first attempt waits, too'),
  },
  policy: ({ numOfAttempts, startingDelay, timeMultiple, maxDelay, jitter, delayFirstAttempt }) => ({
    maxAttempts: numOfAttempts,
    backoff: delayFirstAttempt
      ? exponential(startingDelay * timeMultiple, timeMultiple)
      : exponential(startingDelay, timeMultiple),
    ...(delayFirstAttempt && { initialDelay: startingDelay }),
    jitter,
    maxDelay,
  }),
});
