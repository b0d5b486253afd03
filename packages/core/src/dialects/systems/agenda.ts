import type { PolicyInput } from '../../policy/policy.ts';
import { choice, factor, ms, retries, share } from '../option.ts';
import { constant, defineSystem, exponential, linear, type System } from '../system.ts';

const PRESETS = {
  aggressive: { backoff: exponential(100), maxAttempts: 4 },
  standard: { backoff: exponential(1_000), maxAttempts: 6, jitter: { proportional: 0.1 } },
  relaxed: { backoff: exponential(5_000, 3), maxAttempts: 5, jitter: { proportional: 0.1 } },
} as const satisfies Record<string, PolicyInput>;

/** Agenda: its backoff strategies. */
export const agenda: System = /* @__PURE__ */ defineSystem({
  name: 'agenda',
  title: 'Agenda',
  version: '6.2.6',
  fidelity: 'exact',
  remarks: [
    'The cap is applied before the jitter, so that a delay may be over it.',
    'It counts the failures since the last success: a recurring job that used its retries up has none in its next runs.',
  ],
  options: {
    backoff: choice(
      ['exponential', 'linear', 'constant', 'aggressive', 'standard', 'relaxed'],
      'exponential',
      'a strategy, or one of the presets, which have no other options',
    ),
    delay: ms(1_000, 'the first delay'),
    factor: factor(2, 'of `exponential`'),
    increment: ms(undefined, 'of `linear`; as `delay` if it is left out'),
    maxDelay: ms(Infinity, 'the longest delay before jitter'),
    maxRetries: retries(3, 'executions after the first'),
    jitter: share(0, 'by what part of itself a delay may be shorter or longer'),
  },
  policy: ({ backoff, delay, factor: by, increment = delay, maxDelay, maxRetries, jitter }) => {
    if (backoff === 'aggressive' || backoff === 'standard' || backoff === 'relaxed')
      return { ...PRESETS[backoff], capAt: 'ignores-jitter' };
    const backoffs = {
      exponential: exponential(delay, by),
      linear: linear(delay, increment),
      constant: constant(delay),
    };
    return {
      maxAttempts: maxRetries,
      backoff: backoffs[backoff],
      jitter: { proportional: jitter },
      maxDelay,
      capAt: 'ignores-jitter',
    };
  },
});
