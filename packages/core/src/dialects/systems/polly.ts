import { atLeast, choice, flag, retries, seconds } from '../option.ts';
import { constant, defineSystem, exponential, linear, type System, written } from '../system.ts';

/** 2^t × tanh(√(4t)). */
function decorrelated(attempt: number): number {
  const at = Math.max(attempt, 0);
  return 2 ** at * Math.tanh(Math.sqrt(4 * at));
}

/** Polly 8: its RetryStrategyOptions. */
export const polly: System = /* @__PURE__ */ defineSystem({
  name: 'polly',
  title: 'Polly',
  version: '8.6',
  documentation: {
    source: 'RetryHelper.cs and RetryConstants.cs of 2026-08-21',
    readOn: '2026-11-28',
  },
  fidelity: 'range',
  remarks: [
    'With jitter, an exponential delay is drawn from the one before; here each is drawn by itself, in the same range.',
  ],
  options: {
    MaxRetryAttempts: atLeast(1, retries(3, 'executions after the first')),
    Delay: seconds(2_000, 'the first delay'),
    BackoffType: choice(['Constant', 'Linear', 'Exponential'], 'Constant', 'how the delay grows'),
    UseJitter: flag(false, 'whether a delay is drawn'),
    MaxDelay: seconds(Infinity, 'the longest delay'),
  },
  policy: ({ MaxRetryAttempts, Delay, BackoffType, UseJitter, MaxDelay }) => {
    const limits = { maxAttempts: MaxRetryAttempts, maxDelay: MaxDelay, capAt: 'after-jitter' } as const;
    if (BackoffType === 'Exponential' && UseJitter) {
      const highest = (retry: number): number =>
        (decorrelated(retry) - decorrelated(retry - 2)) * Delay * (1 / 1.4);
      return {
        ...limits,
        capAt: 'before-jitter',
        backoff: written(highest),
        jitter: 'full',
      };
    }
    const backoffs = { Constant: constant(Delay), Linear: linear(Delay), Exponential: exponential(Delay) };
    return { ...limits, backoff: backoffs[BackoffType], jitter: UseJitter ? { proportional: 0.25 } : 'none' };
  },
});
