import { flag, ignored, seconds, value, where } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';
import { asTotal } from '../texts.ts';

/** urllib3: its Retry. */
export const urllib3: System = /* @__PURE__ */ defineSystem({
  name: 'urllib3',
  title: 'urllib3 (requests)',
  version: '1.26.12',
  fidelity: 'exact',
  remarks: [
    'The first retry does not wait.',
    'A number, as `max_retries` of requests is, also repeats what was sent and not answered, and follows a `Retry-After` of any length.',
  ],
  options: {
    total: where(
      null,
      Infinity,
      value(
        { unit: 'retries', parse: asTotal, must: 'a number of retries, or false' },
        11,
        'requests after the first; 10 by default, and `None` is no limit',
      ),
    ),
    backoff_factor: seconds(0, 'half of the second delay'),
    backoff_max: seconds(120_000, 'the longest delay'),
    backoff_jitter: seconds(0, 'up to which a delay is longer, since 2.0'),
    status_forcelist: ignored('statuses'),
    allowed_methods: ignored('methods'),
    respect_retry_after_header: flag(true, 'whether a `Retry-After` is followed'),
  },
  policy: ({ total, backoff_factor, backoff_max, backoff_jitter, respect_retry_after_header }) => ({
    maxAttempts: total,
    immediateFirst: true,
    backoff: exponential(2 * backoff_factor),
    jitter: { plus: backoff_jitter },
    maxDelay: backoff_max,
    capAt: 'after-jitter',
    retryAfter: respect_retry_after_header
      ? { mode: 'replace', max: Infinity, jitter: 'none' }
      : { mode: 'ignore' },
  }),
});
