import { retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** The Elasticsearch client: its `maxRetries`. */
export const elasticTransport: System = /* @__PURE__ */ defineSystem({
  name: 'elastic-transport',
  title: 'Elastic transport',
  version: '9.4.0',
  fidelity: 'exact',
  remarks: ['With several nodes, the first round of retries goes to the others without a delay.'],
  options: { maxRetries: retries(3, 'requests after the first') },
  policy: ({ maxRetries }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(2_000),
    jitter: 'equal',
    maxDelay: 4_000,
  }),
});
