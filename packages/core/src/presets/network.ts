import type { ErrorPattern } from '../matching/matcher.ts';
import { REQUEST_OF_TEDIOUS } from './database-clients.ts';
import { type ErrorFamily, endings, family, globs } from './family.ts';
import { GAVE_UP, NEVER_CONNECTS } from './permanent.ts';

/** The connection was not made. */
const NOT_CONNECTED: readonly ErrorPattern[] = [
  {
    code: [
      'ECONNREFUSED',
      'EAI_AGAIN',
      'ENETDOWN',
      'ENETUNREACH',
      'EHOSTDOWN',
      'EHOSTUNREACH',
      'EADDRNOTAVAIL',
      'EMFILE',
      'ENFILE',
      'ERR_SOCKET_CONNECTION_TIMEOUT',
      'ERR_SOCKET_CLOSED_BEFORE_CONNECTION',
      'ERR_TLS_HANDSHAKE_TIMEOUT',
      'UND_ERR_CONNECT_TIMEOUT',
      // Of a SOCKS5 proxy: network or host unreachable, connection refused, TTL expired.
      ...[3, 4, 5, 6].map((reply) => `UND_ERR_SOCKS5_REPLY_${reply}`),
      // Of c-ares.
      ...['ESERVFAIL', 'EREFUSED'],
      // Of Bun below 1.4.
      ...['ConnectionRefused', 'FailedToOpenSocket'],
    ],
  },
  { code: 'ETIMEOUT', unless: REQUEST_OF_TEDIOUS },
  {
    message: [
      ...endings(
        'connect ECONNREFUSED*',
        'connect ECONNRESET*',
        'connect ECONNABORTED*',
        'connect EPIPE*',
        'connect ETIMEDOUT*',
        'connect EHOSTUNREACH*',
        'connect ENETUNREACH*',
        'Connection lost before handshake', // ssh2
      ),
      ...globs(
        'ECONNREFUSED', // mailgun.js
        'Client network socket disconnected before secure TLS connection was established*',
        'Proxy response (502) !== 200 when HTTP Tunneling',
        'Proxy response (503) !== 200 when HTTP Tunneling',
        'Proxy response (504) !== 200 when HTTP Tunneling',
      ),
    ],
  },
];

/** HTTP/2: the server has not begun the stream, or the session takes no new ones. */
const STREAM_REFUSED: readonly ErrorPattern[] = [
  { code: ['ERR_HTTP2_INVALID_SESSION', 'ERR_HTTP2_GOAWAY_SESSION'] },
  {
    code: ['ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_SESSION_ERROR'],
    message: globs('*error code NGHTTP2_REFUSED_STREAM', '*error code 7'),
  },
];

/** What `fetch` says in browsers, React Native and Deno, which have no codes. */
const FETCH_FAILED = globs(
  'Failed to fetch*',
  'NetworkError when attempting to fetch*',
  'Load failed*',
  'network error*',
  'The Internet connection appears to be offline*',
  'Network request failed*',
  'error reading a body from connection*',
  'error sending request *',
);

/** The connection was lost. */
const CONNECTION_LOST: readonly ErrorPattern[] = [
  {
    code: [
      'ECONNRESET',
      'ECONNABORTED',
      'ENETRESET',
      'ENOTCONN',
      'EPIPE',
      'ERR_SOCKET_CLOSED',
      'ETIMEDOUT',
      'ESOCKETTIMEDOUT',
      'ERR_STREAM_PREMATURE_CLOSE',
      'UND_ERR_SOCKET',
      'UND_ERR_HEADERS_TIMEOUT',
      'UND_ERR_BODY_TIMEOUT',
      'UND_ERR_REQ_RETRY',
      // Of axios in a browser; of Bun below 1.4.
      ...['ERR_NETWORK', 'ConnectionClosed'],
    ],
    // The same codes where the connection was not made.
    unless: {
      message: globs(
        'connect E*',
        'Client network socket disconnected before secure TLS connection was established*',
      ),
    },
  },
  { code: ['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN'], message: globs('read E*', 'write E*') },
  REQUEST_OF_TEDIOUS,
  // Node cancels streams that were not sent, Deno those that were, too.
  { code: 'ERR_HTTP2_STREAM_CANCEL', unless: { message: globs('*(caused by: connect E*') } },
  {
    code: 'UND_ERR_INFO',
    message: globs(
      'HTTP/2: "GOAWAY" frame received with code *',
      'HTTP/2: stream closed before *',
      'HTTP/2: stream half-closed (remote)',
      'HTTP/2: "stream timeout after *',
      'HTTP/2: "PING" errored *',
    ),
  },
  {
    code: ['ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_SESSION_ERROR'],
    message: globs(
      '*error code NGHTTP2_INTERNAL_ERROR',
      '*error code NGHTTP2_ENHANCE_YOUR_CALM',
      '*error code 2',
      '*error code 11',
    ),
  },
  { name: 'TypeError', message: FETCH_FAILED },
  {
    message: globs('fetch failed*', 'Request failed due to a network error*'),
    cause: { message: FETCH_FAILED },
  },
  { message: globs('Network connection lost*') },
  // resend has no status and no cause for whatever failed before it had read an answer.
  { name: 'application_error', message: globs('Unable to fetch data*') },
  {
    message: [
      ...endings(
        'read ECONNRESET',
        'write EPIPE',
        'socket hang up',
        'other side closed*',
        'aborted',
        'terminated',
        'Premature close',
        'stream has been aborted',
        'fetch failed',
      ),
      ...globs(
        'Response aborted*',
        '*closed prematurely',
        '*onnection closed unexpectedly*',
        '*onnection ended unexpectedly*',
        'Server sent FIN packet unexpectedly*', // basic-ftp
        'Connection closed before message response was received*', // ldapts
        'Socket error.*ECONNRESET',
        "Couldn't connect to server", // mqtt
        'Failed to connect', // rhea
        'ECONNRESET',
        'ECONNABORTED',
        'The socket connection was closed*',
        'Failed to connect to *',
      ),
    ],
    // Its cause says more.
    unless: { name: 'TypeError', message: globs('fetch failed', 'terminated') },
  },
  { name: 'ReadError', code: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH' }, // got
  { name: '200 OK', message: globs('*"status": 200,*') }, // contentful, whose body was cut
];

/**
 * Matches connections that were not made, and connections that were lost: by the codes of Node, undici, HTTP/2, axios, got and Bun,
 * and by the messages of `fetch` in browsers, React Native, Deno and Workers and of clients that lose the code; never where a
 * certificate was refused.
 */
export const network: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [...NOT_CONNECTED, ...STREAM_REFUSED],
  ambiguous: CONNECTION_LOST,
  unless: [...NEVER_CONNECTS, ...GAVE_UP],
});
