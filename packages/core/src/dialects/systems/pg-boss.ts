import { flag, retries, seconds } from '../option.ts';
import { constant, defineSystem, exponential, type System, type SystemPolicy, written } from '../system.ts';

/** Doubled 15 times, then the same. */
function doubled(firstMs: number, maxAttempts: number): SystemPolicy['backoff'] {
  if (maxAttempts <= 17) return exponential(firstMs);
  return written((retry) => firstMs * 2 ** Math.min(retry - 1, 15));
}

/** pg-boss: the retry options of a job or queue. */
export const pgBoss: System = /* @__PURE__ */ defineSystem({
  name: 'pg-boss',
  title: 'pg-boss',
  version: '12.38.0',
  fidelity: 'exact',
  remarks: [
    'With `retryBackoff`, each delay is drawn from itself to twice itself, and cut at `retryDelayMax` afterwards. It is doubled 15 times at most.',
  ],
  options: {
    retryLimit: retries(2, 'executions after the first'),
    retryDelay: seconds(0, 'the first delay; 0 is 1 s with `retryBackoff`'),
    retryBackoff: flag(false, 'whether the delay is doubled each time, and drawn'),
    retryDelayMax: seconds(undefined, 'the longest delay'),
  },
  check: ({ retryBackoff, retryDelayMax }, fields) => {
    if (retryDelayMax !== undefined && !retryBackoff)
      fields.fail(
        'retryDelayMax',
        'needs retryBackoff: true, there too',
        'Write retryBackoff: true, or leave it out.',
      );
  },
  policy: ({ retryLimit, retryDelay, retryBackoff, retryDelayMax = Infinity }) => ({
    maxAttempts: retryLimit,
    ...(retryBackoff
      ? {
          backoff: doubled(retryDelay || 1_000, retryLimit),
          jitter: 'bounded',
          maxDelay: retryDelayMax,
          capAt: 'after-jitter',
        }
      : { backoff: constant(retryDelay) }),
  }),
});
