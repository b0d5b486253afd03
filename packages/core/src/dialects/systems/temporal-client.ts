import { executions, factor, flag, ms, share } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Temporal: gRPC retries of its TypeScript client. */
export const temporalClient: System = /* @__PURE__ */ defineSystem({
  name: 'temporal-client',
  title: 'Temporal client',
  version: '1.24.0',
  fidelity: 'exact',
  remarks: ['After RESOURCE_EXHAUSTED it waits ten times as long.'],
  options: {
    defaultGrpcRetryOptions: flag(true, 'its own defaults'),
    maxAttempts: executions(10, 'all executions'),
    initialIntervalMs: ms(100, 'what the first delay is 1.7 times of'),
    congestionInitialIntervalMs: ms(1_000, 'the same after RESOURCE_EXHAUSTED'),
    maxIntervalMs: ms(5_000, 'the longest delay before jitter'),
    factor: factor(1.7, 'what each delay is multiplied by'),
    maxJitter: share(0.2, 'by what part of itself a delay may be shorter or longer'),
  },
  policy: ({
    maxAttempts,
    initialIntervalMs,
    congestionInitialIntervalMs,
    maxIntervalMs,
    factor: by,
    maxJitter,
  }) => ({
    maxAttempts,
    backoff: exponential(initialIntervalMs * by, by),
    delays: [{ on: [{ code: 8 }], backoff: exponential(congestionInitialIntervalMs * by, by) }],
    jitter: { proportional: maxJitter },
    maxDelay: maxIntervalMs,
    capAt: 'ignores-jitter',
  }),
});
