import { choice, executions, ms } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

/** Sidequest: the retry options of a job. */
export const sidequest: System = /* @__PURE__ */ defineSystem({
  name: 'sidequest',
  title: 'Sidequest',
  version: '1.16.4',
  fidelity: 'exact',
  remarks: ['The jitter of half the delay cannot be switched off, and no delay is over an hour.'],
  options: {
    max_attempts: executions(5, 'all executions'),
    backoff_strategy: choice(['exponential', 'fixed'], 'exponential', 'how the delay grows'),
    retry_delay: ms(1_000, 'the first delay'),
  },
  policy: ({ max_attempts, backoff_strategy, retry_delay }) => ({
    maxAttempts: max_attempts,
    backoff: backoff_strategy === 'fixed' ? constant(retry_delay) : exponential(retry_delay),
    jitter: { proportional: 0.5 },
    maxDelay: 3_600_000,
    capAt: 'after-jitter',
  }),
});
