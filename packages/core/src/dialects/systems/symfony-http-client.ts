import { factor, ignored, ms, retries, share } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Symfony HttpClient: its GenericRetryStrategy. */
export const symfonyHttpClient: System = /* @__PURE__ */ defineSystem({
  name: 'symfony-http-client',
  title: 'Symfony HttpClient',
  version: '5.4.53',
  fidelity: 'exact',
  remarks: ['A delay is cut after its jitter: at the cap there is none.'],
  options: {
    maxRetries: retries(3, 'requests after the first'),
    delayMs: ms(1_000, 'the first delay'),
    multiplier: factor(2, 'what each delay is multiplied by'),
    maxDelayMs: ms(0, 'the longest delay; 0: no limit'),
    jitter: share(0.1, 'by what part of itself a delay may be shorter or longer'),
    statusCodes: ignored('statuses'),
  },
  policy: ({ maxRetries, delayMs, multiplier, maxDelayMs, jitter }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(delayMs, multiplier),
    jitter: { proportional: jitter },
    maxDelay: maxDelayMs || Infinity,
    capAt: 'after-jitter',
    retryAfter: { mode: 'replace', max: Infinity, jitter: 'none' },
  }),
});
