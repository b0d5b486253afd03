import { ATTEMPT_GOES_ON } from '../deadline.ts';
import { factor, retries, share, span } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** cenkalti/backoff: its ExponentialBackOff. */
export const cenkaltiBackoff: System = /* @__PURE__ */ defineSystem({
  name: 'cenkalti-backoff',
  title: 'cenkalti/backoff',
  version: '4.1.3',
  fidelity: 'exact',
  remarks: ['A delay may be over `MaxInterval` by its jitter.'],
  options: {
    InitialInterval: span('500ms', 'the first delay'),
    RandomizationFactor: share(0.5, 'by what part of itself a delay may be shorter or longer'),
    Multiplier: factor(1.5, 'what each delay is multiplied by'),
    MaxInterval: span('60s', 'the longest delay before jitter'),
    MaxElapsedTime: span('15m', 'the longest time of all attempts together; 0: no limit'),
    MaxRetries: retries(Infinity, 'of `WithMaxRetries`'),
  },
  deadline: {
    option: 'MaxElapsedTime',
    limitOf: ({ MaxElapsedTime }) => MaxElapsedTime || Infinity,
    there: ATTEMPT_GOES_ON,
  },
  policy: ({ InitialInterval, RandomizationFactor, Multiplier, MaxInterval, MaxRetries }) => ({
    maxAttempts: MaxRetries,
    backoff: exponential(InitialInterval, Multiplier),
    jitter: { proportional: RandomizationFactor },
    maxDelay: MaxInterval,
    capAt: 'ignores-jitter',
  }),
});
