import type { ErrorPattern, Policy } from '@retry/core';
import { definePolicy, httpTransient } from '@retry/core';

/** What `fetch` of Node and undici says beneath its TypeError when a request, or the answer to it, is refused for good. */
const REFUSED =
  /^(unknown scheme|not implemented|about scheme is not|invalid method|failed to fetch the data URL|bad port|blocked|local URLs only|only if cached|unexpected redirect|redirect count exceeded|URL scheme must be|request mode cannot be|cross origin not allowed|cors failure|integrity mismatch|proxy authentication required)/;

/** The codes of the same, where there is one. */
const REFUSED_CODES = [
  'ERR_INVALID_URL',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'CERT_*',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_*',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT*',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/**
 * Failures of `fetch` that no later try can mend: an unknown scheme, a bad port, a redirect that `redirect: 'error'`
 * forbids, a redirect loop, an integrity mismatch, a header that cannot be sent, a certificate that is refused. They are told apart by what stands
 * beneath the TypeError; browsers give none, so there they look like a connection that failed.
 */
export const fetchRefusals: readonly ErrorPattern[] = Object.freeze([
  { name: 'TypeError', cause: { name: ['Error', 'TypeError'], message: REFUSED } },
  { name: 'TypeError', cause: { code: REFUSED_CODES } },
]);

/**
 * What `createRetryFetch` retries by: 3 attempts, from 200 ms, doubling, full jitter. `fetch` throws a TypeError
 * when a connection fails, whatever its words; what can never succeed stops.
 */
export const httpPolicy: Policy = definePolicy({
  backoff: { type: 'exponential', base: '200ms' },
  retryOn: [...httpTransient, TypeError],
  stopOn: [...fetchRefusals],
});
