import { retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** The Anthropic SDK: its `maxRetries`. */
export const anthropicSdk: System = /* @__PURE__ */ defineSystem({
  name: 'anthropic-sdk',
  title: 'Anthropic SDK',
  version: '1.14.0',
  fidelity: 'exact',
  remarks: ['It follows any `Retry-After` but 0, however long.'],
  options: { maxRetries: retries(2, 'requests after the first') },
  policy: ({ maxRetries }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(500),
    jitter: { down: 0.25 },
    maxDelay: 8_000,
    retryAfter: { mode: 'replace', max: Infinity, jitter: 'none' },
  }),
});
