import { seconds, value } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';
import { asRetry } from '../texts.ts';

/** Sidekiq: `sidekiq_options retry: …` and `sidekiq_retry_in`. */
export const sidekiq: System = /* @__PURE__ */ defineSystem({
  name: 'sidekiq',
  title: 'Sidekiq',
  version: '8.1.7; 6.4.1',
  fidelity: 'exact',
  remarks: [
    'Since 7 the jitter is also added to the delay of `sidekiq_retry_in`: 10 s become 10 to 89 s before the eighth retry.',
  ],
  options: {
    retry: value(
      { unit: 'retries', parse: asRetry, must: 'a number of retries, true or false', shown: '25' },
      26,
      'executions after the first',
    ),
    sidekiq_retry_in: seconds(undefined, 'a delay instead of the formula'),
    version: value(
      { unit: 'number', parse: (given) => (typeof given === 'number' ? given : undefined), must: 'a number' },
      8,
      'of Sidekiq: 8, or 6',
    ),
  },
  policy: ({ retry, sidekiq_retry_in, version }) => ({
    maxAttempts: retry,
    backoff:
      sidekiq_retry_in === undefined
        ? { type: 'polynomial', base: 1_000, exponent: 4, offset: 15_000, from: 0 }
        : constant(sidekiq_retry_in),
    jitter:
      version >= 7
        ? { plus: 9_000, increment: 10_000 }
        : sidekiq_retry_in === undefined
          ? { plus: 9_000, increment: 9_000 }
          : 'none',
    granularity: 1_000,
  }),
});
