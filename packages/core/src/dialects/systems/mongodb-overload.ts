import { ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** The MongoDB driver: retries of an overloaded server. */
export const mongodbOverload: System = /* @__PURE__ */ defineSystem({
  name: 'mongodb-overload',
  title: 'MongoDB driver, overload',
  version: '7.9.0',
  fidelity: 'exact',
  options: {
    maxAdaptiveRetries: retries(2, 'commands after the first'),
    serverBaseBackoffMS: ms(undefined, 'what the server asks for as the base; 100 if it does not'),
  },
  policy: ({ maxAdaptiveRetries, serverBaseBackoffMS = 100 }) => ({
    maxAttempts: maxAdaptiveRetries,
    backoff: exponential(2 * serverBaseBackoffMS),
    jitter: 'full',
    maxDelay: 10_000,
  }),
});
