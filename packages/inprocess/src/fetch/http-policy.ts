import type { Policy } from '@retry/core';
import { definePolicy } from '@retry/core';
import { http, network } from '@retry/core/errors';
import type { ErrorPattern } from '@retry/core/fields';

/** Messages of the causes of a TypeError of `fetch` (Node, undici, Deno) when a request or response is invalid for good. */
const REFUSED =
  /^(unknown scheme|not implemented|about scheme is not|invalid method|failed to fetch the data URL|bad port|blocked|local URLs only|only if cached|unexpected redirect|redirect count exceeded|URL scheme must be|request mode cannot be|cross origin not allowed|cors failure|integrity mismatch|proxy authentication required|error sending request .*invalid peer certificate)/;

/** Messages of the TypeError itself in Deno. */
const REFUSED_BY_DENO =
  /^(Fetch failed: (Requests to port|Encountered redirect|Maximum number of redirects)|Url scheme .* not supported|error sending request .*invalid peer certificate)/;

/** Codes of such causes; in Bun and node-fetch, of the error itself. */
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

const REFUSED_BY_BUN = [...REFUSED_CODES, 'ERR_INVALID_ARG_VALUE', 'TooManyRedirects', 'UnexpectedRedirect'];

/**
 * Failures of `fetch` that a retry cannot fix: an unknown scheme, a bad port, a redirect that `redirect: 'error'`
 * forbids, a redirect loop, an integrity mismatch, a header that cannot be sent, a certificate that is refused. They
 * are recognised by the cause of the TypeError, in Bun by its code, in Deno by its message; browsers say nothing, so there
 * they look like a failed connection.
 */
export const fetchRefusals: readonly ErrorPattern[] = Object.freeze([
  { name: 'TypeError', cause: { name: ['Error', 'TypeError'], message: REFUSED } },
  { name: 'TypeError', cause: { code: REFUSED_CODES } },
  { code: REFUSED_BY_BUN }, // below 1.4 of no TypeError
  { name: 'TypeError', message: REFUSED_BY_DENO },
]);

/** What `network` never expects, whatever else the error says: an unknown host, a refused certificate, no common version of TLS. */
const NEVER_CONNECTS = network.ambiguous.flatMap(({ unless = [] }) => unless);

/** The connection was lost, or the answer was none of HTTP; where the cause says that nothing was sent, `network` knows it. */
const FAILED: ErrorPattern = {
  name: 'TypeError',
  unless: [...network.notApplied, ...NEVER_CONNECTS],
  ambiguous: true,
};

/**
 * The default policy of `createRetryFetch`: 3 attempts, from 200 ms, doubling, full jitter. `fetch` throws a TypeError
 * when a connection fails, whatever the message, other clients an error with a code; {@link fetchRefusals} end the retrying. An unknown
 * host (`ENOTFOUND`) is not retried, as `network` has it; one that the resolver could not ask for (`EAI_AGAIN`) is.
 */
export const httpPolicy: Policy = definePolicy({
  backoff: { type: 'exponential', base: '200ms' },
  retryOn: [...http, FAILED, ...network],
  stopOn: [...fetchRefusals],
});
