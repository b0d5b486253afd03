import { group, ignored, ms, retries, value } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

function asNoise(written: unknown): number | undefined {
  return typeof written === 'number' && Math.abs(written) <= 100 ? written : undefined;
}

/** got: its `retry` option. */
export const got: System = /* @__PURE__ */ defineSystem({
  name: 'got',
  title: 'got',
  version: '16.1.0',
  fidelity: 'exact',
  remarks: ['The noise is added after `backoffLimit`, so that a delay may be over it.'],
  options: {
    retry: group(
      {
        limit: retries(2, 'requests after the first'),
        backoffLimit: ms(Infinity, 'the longest delay before the noise'),
        noise: value(
          {
            unit: 'number',
            parse: asNoise,
            must: 'a number from -100 to 100',
            cure: 'got refuses any other.',
          },
          100,
          'milliseconds, up to which a delay is longer; or shorter, below 0',
        ),
        maxRetryAfter: ms(undefined, 'the longest `Retry-After` that is followed'),
        methods: ignored('methods'),
        statusCodes: ignored('statuses'),
        errorCodes: ignored('codes'),
        calculateDelay: ignored('a function'),
        enforceRetryRules: ignored('whether the rules hold for `calculateDelay`, too'),
      },
      'a number is `limit`',
      (given) => (typeof given === 'number' ? { limit: given } : undefined),
    ),
  },
  policy: ({ retry: { limit, backoffLimit, noise, maxRetryAfter = Infinity } }) => ({
    maxAttempts: limit,
    backoff: exponential(1_000),
    jitter: noise >= 0 ? { plus: noise } : { minus: -noise },
    maxDelay: backoffLimit,
    capAt: 'ignores-jitter',
    retryAfter: { mode: 'replace', max: maxRetryAfter, jitter: 'none' },
  }),
});
