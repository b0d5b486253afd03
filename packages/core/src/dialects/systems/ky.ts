import { flag, group, ignored, ms, retries } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

/** ky: its `retry` option. */
export const ky: System = /* @__PURE__ */ defineSystem({
  name: 'ky',
  title: 'ky',
  version: '2.1.0',
  fidelity: 'exact',
  remarks: ['With `jitter`, a delay is cut at `backoffLimit` after it is drawn.'],
  options: {
    retry: group(
      {
        limit: retries(2, 'requests after the first'),
        backoffLimit: ms(Infinity, 'the longest delay'),
        jitter: flag(false, 'whether a delay is drawn from 0 to itself'),
        delay: ms(undefined, 'a constant delay'),
        maxRetryAfter: ms(Infinity, 'to which a longer `Retry-After` is cut'),
        methods: ignored('methods'),
        statusCodes: ignored('statuses'),
        afterStatusCodes: ignored('statuses whose `Retry-After` is followed'),
        retryOnTimeout: ignored('whether a timeout is retried'),
      },
      'a number is `limit`',
      (given) => (typeof given === 'number' ? { limit: given } : undefined),
    ),
  },
  policy: ({ retry: { limit, backoffLimit, jitter, delay, maxRetryAfter } }) => ({
    maxAttempts: limit,
    backoff: delay === undefined ? exponential(300) : constant(delay),
    jitter: jitter ? 'full' : 'none',
    maxDelay: backoffLimit,
    capAt: 'after-jitter',
    retryAfter: { mode: 'replace', max: maxRetryAfter, beyondMax: 'clamp', jitter: 'none' },
  }),
});
