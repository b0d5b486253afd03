import { retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** The AI SDK: its `maxRetries`. */
export const aiSdk: System = /* @__PURE__ */ defineSystem({
  name: 'ai-sdk',
  title: 'AI SDK',
  version: '6.0.326',
  fidelity: 'exact',
  options: { maxRetries: retries(2, 'calls after the first') },
  policy: ({ maxRetries }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(2_000),
    retryAfter: { mode: 'replace', max: 60_000, beyondMax: 'ignore', jitter: 'none' },
  }),
});
