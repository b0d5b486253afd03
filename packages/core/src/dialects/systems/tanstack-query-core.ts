import { ms, retries } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

/** TanStack Query: `retry` of a query. */
export const tanstackQueryCore: System = /* @__PURE__ */ defineSystem({
  name: 'tanstack-query-core',
  title: 'TanStack Query',
  version: '5.108.4',
  fidelity: 'exact',
  options: {
    retry: retries(3, 'executions after the first; a mutation has 0 by default'),
    retryDelay: ms(undefined, 'a constant delay; 1 s doubled up to 30 s if it is left out'),
  },
  policy: ({ retry, retryDelay }) => ({
    maxAttempts: retry,
    ...(retryDelay === undefined
      ? { backoff: exponential(1_000), maxDelay: 30_000 }
      : { backoff: constant(retryDelay) }),
  }),
});
