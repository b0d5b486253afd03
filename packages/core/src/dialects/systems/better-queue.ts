import { executions, ms } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';

/** better-queue: the options of a queue. */
export const betterQueue: System = /* @__PURE__ */ defineSystem({
  name: 'better-queue',
  title: 'better-queue',
  version: '3.8.12',
  fidelity: 'exact',
  options: {
    maxRetries: executions(1, 'all executions, despite its name'),
    retryDelay: ms(0, 'the delay'),
  },
  policy: ({ maxRetries, retryDelay }) => ({ maxAttempts: maxRetries, backoff: constant(retryDelay) }),
});
