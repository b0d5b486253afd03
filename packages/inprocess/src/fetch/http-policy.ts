import type { Policy } from '@retry/core';
import { definePolicy, httpTransient } from '@retry/core';

/**
 * What `createRetryFetch` retries by: 3 attempts, from 200 ms, doubling, full jitter. `fetch` throws a TypeError
 * when a connection fails, whatever its words; a request that cannot be made was told before.
 */
export const httpPolicy: Policy = definePolicy({
  backoff: { type: 'exponential', base: '200ms' },
  retryOn: [...httpTransient, TypeError, { code: 'ATTEMPT_TIMEOUT' }],
});
