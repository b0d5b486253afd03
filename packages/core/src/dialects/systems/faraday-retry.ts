import { factor, ignored, retries, seconds } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** faraday-retry: the options of `request :retry`. */
export const faradayRetry: System = /* @__PURE__ */ defineSystem({
  name: 'faraday-retry',
  title: 'faraday-retry',
  version: '1.1.0',
  fidelity: 'exact',
  remarks: [
    '`interval_randomness` is a share of `interval`, not of the delay, and is added after `max_interval`.',
  ],
  options: {
    max: retries(2, 'requests after the first'),
    interval: seconds(0, 'the first delay'),
    backoff_factor: factor(1, 'what each delay is multiplied by'),
    interval_randomness: factor(0, 'up to how many times `interval` a delay is longer'),
    max_interval: seconds(Infinity, 'the longest delay before that'),
    methods: ignored('methods'),
    exceptions: ignored('exceptions'),
    retry_statuses: ignored('statuses'),
  },
  policy: ({ max, interval, backoff_factor, interval_randomness, max_interval }) => ({
    maxAttempts: max,
    backoff: exponential(interval, backoff_factor),
    jitter: { plus: interval * interval_randomness },
    maxDelay: max_interval,
    capAt: 'ignores-jitter',
    retryAfter: { mode: 'floor', max: max_interval, jitter: 'none' },
  }),
});
