import { choice, retries, span } from '../option.ts';
import { defineSystem, exponential, linear, type System } from '../system.ts';

/** go-retryablehttp: its Client. */
export const goRetryablehttp: System = /* @__PURE__ */ defineSystem({
  name: 'go-retryablehttp',
  title: 'go-retryablehttp',
  version: '0.7.1',
  fidelity: 'exact',
  remarks: [
    '`LinearJitterBackoff` is not cut: `RetryWaitMax` is the highest first delay. A `Retry-After` is followed, however long.',
  ],
  options: {
    RetryMax: retries(4, 'requests after the first'),
    RetryWaitMin: span('1s', 'the first delay'),
    RetryWaitMax: span('30s', 'the longest delay'),
    Backoff: choice(['DefaultBackoff', 'LinearJitterBackoff'], 'DefaultBackoff', 'how the delay grows'),
  },
  policy: ({ RetryMax, RetryWaitMin, RetryWaitMax, Backoff }) => ({
    maxAttempts: RetryMax,
    ...(Backoff === 'DefaultBackoff' && { backoff: exponential(RetryWaitMin), maxDelay: RetryWaitMax }),
    ...(Backoff === 'LinearJitterBackoff' &&
      (RetryWaitMin > 0
        ? { backoff: linear(RetryWaitMin), jitter: { up: Math.max(RetryWaitMax / RetryWaitMin - 1, 0) } }
        : { backoff: linear(RetryWaitMax), jitter: 'full' as const })),
    retryAfter: { mode: 'replace', max: Infinity, jitter: 'none' },
  }),
});
