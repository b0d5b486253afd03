import { choice } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Guzzle: the default delay of its RetryMiddleware. */
export const guzzle: System = /* @__PURE__ */ defineSystem({
  name: 'guzzle',
  title: 'Guzzle',
  version: '7.4.5',
  fidelity: 'exact',
  remarks: ['The program decides how often: there is no limit of its own.'],
  options: { delay: choice(['default'], 'default', 'only the default one can be read') },
  policy: () => ({ maxAttempts: Infinity, backoff: exponential(1_000) }),
});
