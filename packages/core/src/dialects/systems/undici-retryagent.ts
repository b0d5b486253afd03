import { factor, flag, ignored, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** undici: its RetryAgent and RetryHandler. */
export const undiciRetryagent: System = /* @__PURE__ */ defineSystem({
  name: 'undici-retryagent',
  title: 'undici RetryAgent',
  version: '8.13.1',
  fidelity: 'exact',
  options: {
    maxRetries: retries(5, 'requests after the first'),
    minTimeout: ms(500, 'the first delay'),
    maxTimeout: ms(30_000, 'the longest delay'),
    timeoutFactor: factor(2, 'what each delay is multiplied by'),
    retryAfter: flag(true, 'whether a `Retry-After` is followed'),
    methods: ignored('methods'),
    statusCodes: ignored('statuses'),
    errorCodes: ignored('codes'),
    throwOnError: ignored('whether the last status is an error'),
  },
  policy: ({ maxRetries, minTimeout, maxTimeout, timeoutFactor, retryAfter }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(minTimeout, timeoutFactor),
    maxDelay: maxTimeout,
    retryAfter: retryAfter
      ? { mode: 'replace', max: maxTimeout, beyondMax: 'clamp', jitter: 'none' }
      : { mode: 'ignore' },
  }),
});
