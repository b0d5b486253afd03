import type { Policy } from '@retry/core';
import { AttemptTimeoutError, definePolicy } from '@retry/core';

/** The one policy of the demo. */
export const policy: Policy = definePolicy({
  maxAttempts: 5,
  backoff: { type: 'exponential', base: '50ms', factor: 2 },
  jitter: 'full',
  attemptTimeout: '250ms',
  retryOn: [
    { status: [429, 503] },
    { cause: { code: ['ECONNRESET', 'UND_ERR_SOCKET'] } }, // how fetch reports a dropped connection
    AttemptTimeoutError,
  ],
});
