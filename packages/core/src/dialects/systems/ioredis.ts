import { choice } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** ioredis: the default `retryStrategy`. */
export const ioredis: System = /* @__PURE__ */ defineSystem({
  name: 'ioredis',
  title: 'ioredis',
  version: '6.0.0',
  fidelity: 'exact',
  remarks: ['It never ends. The jitter is added after the cap.'],
  options: { retryStrategy: choice(['default'], 'default', 'only the default one can be read') },
  policy: () => ({
    maxAttempts: Infinity,
    backoff: exponential(50),
    jitter: { plus: 199 },
    maxDelay: 5_000,
    capAt: 'ignores-jitter',
    granularity: 1,
  }),
});
