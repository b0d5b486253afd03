import { ms } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

/** node-redis: the default `reconnectStrategy`. */
export const nodeRedis: System = /* @__PURE__ */ defineSystem({
  name: 'node-redis',
  title: 'node-redis',
  version: '6.3.1',
  fidelity: 'exact',
  remarks: ['It never ends. The jitter is added after the cap.'],
  options: { reconnectStrategy: ms(undefined, 'a constant delay; the default strategy if it is left out') },
  policy: ({ reconnectStrategy }) => ({
    maxAttempts: Infinity,
    ...(reconnectStrategy === undefined
      ? {
          backoff: exponential(50),
          jitter: { plus: 199 },
          maxDelay: 2_000,
          capAt: 'ignores-jitter' as const,
          granularity: 1,
        }
      : { backoff: constant(reconnectStrategy) }),
  }),
});
