import { warnIf } from '../dialect.ts';
import { choice, executions, factor, flag, ms } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** exponential-backoff: its options. */
export const exponentialBackoff: System = /* @__PURE__ */ defineSystem({
  name: 'exponential-backoff',
  title: 'exponential-backoff',
  version: '3.1.3',
  fidelity: 'exact',
  remarks: [
    'With `delayFirstAttempt` and `jitter`, it draws the wait before the first attempt, too; here that is whole.',
  ],
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
    ...(delayFirstAttempt && { initialDelay: Math.min(startingDelay, maxDelay) }),
    jitter,
    maxDelay,
  }),
  warnings: ({ jitter, delayFirstAttempt }) => [
    warnIf(jitter === 'full' && delayFirstAttempt, {
      code: 'DIFFERS',
      path: 'delayFirstAttempt',
      message: 'the wait before the first attempt is drawn there, and whole in our policy',
      cure: 'Write initialDelay yourself, if this matters.',
    }),
  ],
});
