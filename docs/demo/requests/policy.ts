import type { Policy, PolicyInput } from '@retry/core';
import { AttemptTimeoutError, definePolicy } from '@retry/core';

/** The limits and delays of the demo's policy, which its report names. */
export const LIMITS = {
  maxAttempts: 5,
  backoff: { type: 'exponential', base: '50ms', factor: 2 },
  jitter: 'full',
  attemptTimeout: 250,
} as const satisfies PolicyInput;

/** The one policy of the demo. */
export const policy: Policy = definePolicy({
  ...LIMITS,
  retryOn: [
    { status: [429, 503] },
    { cause: { code: ['ECONNRESET', 'UND_ERR_SOCKET'] } }, // how fetch reports a dropped connection
    AttemptTimeoutError,
  ],
});
