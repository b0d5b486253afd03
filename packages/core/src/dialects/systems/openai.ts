import { retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** The OpenAI SDK: its `maxRetries`. */
export const openai: System = /* @__PURE__ */ defineSystem({
  name: 'openai',
  title: 'OpenAI SDK',
  version: '7.59.0',
  fidelity: 'exact',
  remarks: ['A `Retry-After` above 60 s is not followed: it waits its own delay then.'],
  options: { maxRetries: retries(2, 'requests after the first') },
  policy: ({ maxRetries }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(500),
    jitter: { down: 0.25 },
    maxDelay: 8_000,
    retryAfter: { mode: 'replace', max: 60_000, beyondMax: 'ignore', jitter: 'none' },
  }),
});
