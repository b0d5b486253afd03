import { flag, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** The Twilio SDK: its automatic retries. */
export const twilio: System = /* @__PURE__ */ defineSystem({
  name: 'twilio',
  title: 'Twilio SDK',
  version: '6.3.1',
  fidelity: 'exact',
  options: {
    autoRetry: flag(false, 'whether it retries a 429 at all'),
    maxRetries: retries(3, 'requests after the first'),
    maxRetryDelay: ms(3_000, 'the longest delay'),
  },
  policy: ({ autoRetry, maxRetries, maxRetryDelay }) => ({
    maxAttempts: autoRetry ? maxRetries : 1,
    backoff: exponential(200),
    jitter: 'full',
    maxDelay: maxRetryDelay,
  }),
});
