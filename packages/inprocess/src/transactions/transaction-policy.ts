import type { PolicyInput } from '@retry/core';
import { mongodb, mysql, network, postgres, sqlite, timeouts } from '@retry/core/errors';

/**
 * The policy of `retryTransaction`: 5 attempts, from 20 ms, doubling, up to 2 s, full jitter. It expects the errors of every database
 * that it knows, and repeats no COMMIT that may have been applied.
 */
export const transactionPolicy: PolicyInput = /* @__PURE__ */ Object.freeze<PolicyInput>({
  maxAttempts: 5,
  backoff: { type: 'exponential', base: '20ms' },
  maxDelay: '2s',
  retryOn: /* @__PURE__ */ [postgres, mysql, sqlite, mongodb, network, timeouts].flat(),
  idempotent: false,
});
