import type { ErrorPattern, MessageGlob } from './matcher.ts';

const SOCKET_CODES: readonly string[] = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

/** A stream or session of HTTP/2 that ended with REFUSED_STREAM, INTERNAL_ERROR or ENHANCE_YOUR_CALM, by its name or number. */
const HTTP2_ENDED = /* @__PURE__ */ globs(
  '*error code NGHTTP2_REFUSED_STREAM',
  '*error code NGHTTP2_INTERNAL_ERROR',
  '*error code NGHTTP2_ENHANCE_YOUR_CALM',
  '*error code 2',
  '*error code 7',
  '*error code 11',
);

/** Of axios in a browser; of `fetch` in Bun below 1.4. */
const CLIENT_CODES = ['ERR_NETWORK', 'ConnectionRefused', 'ConnectionClosed', 'FailedToOpenSocket'];

/** What `fetch` says in browsers, React Native and Deno, which have no codes. Of Deno, unknown hosts and certificates are left out. */
const FETCH_FAILED = /* @__PURE__ */ Object.freeze([
  .../* @__PURE__ */ globs(
    'Failed to fetch*',
    'NetworkError when attempting to fetch*',
    'Load failed*',
    'network error*',
    'The Internet connection appears to be offline*',
    'Network request failed*',
    'error reading a body from connection*',
  ),
  { glob: 'error sending request *', except: ['*certificate*', '*not known*', '*No such host*'] },
]);

/** Returns the globs as those of a message. */
function globs(...texts: readonly string[]): readonly MessageGlob[] {
  return Object.freeze(texts.map((glob) => Object.freeze({ glob })));
}

/**
 * Matches failed and lost connections: Node's socket codes, on the error or on its cause (as in `fetch`), streams of HTTP/2 that
 * the server refused or broke off, the codes of axios, got and Bun, and the messages of `fetch` in Chrome, Firefox, Safari,
 * React Native, Deno and Cloudflare Workers, which have no code, also as the cause in ky.
 */
export const transientNetwork: readonly ErrorPattern[] = Object.freeze([
  { code: [...SOCKET_CODES, ...CLIENT_CODES, 'ERR_HTTP2_GOAWAY_SESSION'] },
  { cause: { code: SOCKET_CODES } },
  { code: ['ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_SESSION_ERROR'], message: HTTP2_ENDED },
  { name: 'TypeError', message: FETCH_FAILED },
  // Only where the error itself says so: nothing but codes is recorded of causes, and a replay would have to doubt every other one.
  {
    message: globs('fetch failed*', 'Request failed due to a network error*'),
    cause: { message: FETCH_FAILED },
  },
  { message: { glob: 'Network connection lost*' } },
  { code: 'ERR_BAD_RESPONSE', message: 'stream has been aborted' }, // axios
  { name: 'ReadError', code: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH' }, // got
]);

/**
 * Matches HTTP statuses that may pass: 408, 425, 429, 500, 502, 503 and 504; and 413 with a `Retry-After`, without which
 * it is permanent.
 */
export const httpTransient: readonly ErrorPattern[] = Object.freeze([
  { status: [408, 425, 429, 500, 502, 503, 504] },
  { status: 413, retryAfter: true },
]);

/**
 * Matches PostgreSQL errors that may pass: serialization failure, deadlock, lock not available, too many connections,
 * connection exceptions, and a server that shuts down, crashes or starts up.
 *
 * @see PostgreSQL documentation, appendix A (SQLSTATE)
 */
export const postgresTransient: readonly ErrorPattern[] = Object.freeze([
  { code: ['40001', '40P01', '55P03', '53300', '08*', '57P01', '57P02', '57P03', '57P05'] },
]);

/** Matches Redis replies, and errors of node-redis and ioredis, while a server loads, fails over or is disconnected. */
export const redisTransient: readonly ErrorPattern[] = Object.freeze([
  {
    message: globs(
      'LOADING *',
      'TRYAGAIN *',
      'CLUSTERDOWN *',
      'MASTERDOWN *',
      'READONLY *',
      'NOREPLICAS *',
      'BUSY *',
    ),
  },
  {
    name: [
      'SocketClosedUnexpectedlyError',
      'SocketTimeoutError',
      'ConnectionTimeoutError',
      'DisconnectsClientError',
      'MaxRetriesPerRequestError',
      'ClusterAllFailedError',
    ],
  },
]);
