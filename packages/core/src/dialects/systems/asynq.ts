import { choice, retries } from '../option.ts';
import { defineSystem, type System } from '../system.ts';

/** asynq: its default RetryDelayFunc. */
export const asynq: System = /* @__PURE__ */ defineSystem({
  name: 'asynq',
  title: 'asynq',
  version: '785bb72 (2026-05-14)',
  fidelity: 'exact',
  options: {
    MaxRetry: retries(25, 'executions after the first'),
    RetryDelayFunc: choice(['default'], 'default', 'only the default one can be read'),
  },
  policy: ({ MaxRetry }) => ({
    maxAttempts: MaxRetry,
    backoff: { type: 'polynomial', base: 1_000, exponent: 4, offset: 15_000, from: 0 },
    jitter: { plus: 29_000, increment: 29_000 },
    granularity: 1_000,
  }),
});
