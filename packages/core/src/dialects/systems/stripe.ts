import { retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** The Stripe SDK: its `maxNetworkRetries`. */
export const stripe: System = /* @__PURE__ */ defineSystem({
  name: 'stripe',
  title: 'Stripe SDK',
  version: '23.1.0',
  fidelity: 'exact',
  remarks: ['It does not read `Retry-After`, and does not retry a 429.'],
  options: { maxNetworkRetries: retries(2, 'requests after the first') },
  policy: ({ maxNetworkRetries }) => ({
    maxAttempts: maxNetworkRetries,
    backoff: exponential(250),
    jitter: { down: 0.5 },
    minDelay: 500,
    maxDelay: 5_000,
  }),
});
