import type { Policy } from '@retry/core';

/**
 * The policy of `definePolicy()` as plain data, to be spread and changed: 3 attempts, exponential from 100 ms ×2, capped at 20 s,
 * full jitter. Every duration is in milliseconds.
 */
export const basePolicy: Policy = {
  maxAttempts: 3,
  initialDelayMs: 0,
  backoff: { type: 'exponential', baseMs: 100, factor: 2 },
  jitter: 'full',
  minDelayMs: 0,
  maxDelayMs: 20_000,
  capAt: 'before-jitter',
  granularityMs: 0,
  retryOn: [],
  stopOn: [],
  attemptTimeoutMs: Infinity,
  totalTimeoutMs: Infinity,
  retryTimeouts: true,
  retryAfter: { maxMs: 60_000, mode: 'floor' },
  retryable: true,
};
