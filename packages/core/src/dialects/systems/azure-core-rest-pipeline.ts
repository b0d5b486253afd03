import { ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Azure SDKs for JavaScript: the default retry policy. */
export const azureCoreRestPipeline: System = /* @__PURE__ */ defineSystem({
  name: 'azure-core-rest-pipeline',
  title: 'Azure SDK (core-rest-pipeline)',
  version: '1.25.1',
  fidelity: 'exact',
  options: {
    maxRetries: retries(3, 'requests after the first'),
    retryDelayInMs: ms(1_000, 'the first delay'),
    maxRetryDelayInMs: ms(64_000, 'the longest delay'),
  },
  policy: ({ maxRetries, retryDelayInMs, maxRetryDelayInMs }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(retryDelayInMs),
    jitter: 'equal',
    maxDelay: maxRetryDelayInMs,
    retryAfter: { mode: 'replace', max: Infinity, jitter: 'none' },
  }),
});
