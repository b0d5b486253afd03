import type { ErrorPattern } from '../matching/matcher.ts';
import { globs } from './family.ts';

/** A refused certificate, no common version of TLS, an unknown host: wherever it is below, a client may call it a status of 500. */
export const NEVER_CONNECTS: readonly ErrorPattern[] = [
  {
    code: [
      // What Node calls the results of OpenSSL's verification.
      ...['CERT_*', 'CRL_*', '*SELF_SIGNED_CERT*', 'UNABLE_TO_*', 'ERROR_IN_C*', 'HOSTNAME_MISMATCH'],
      ...['INVALID_CA', 'INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED'],
      'ERR_SSL_*',
      'EPROTO',
      'ENOTFOUND',
      'UND_ERR_DESTROYED',
    ],
  },
  { code: 'ERR_TLS_*', unless: { code: 'ERR_TLS_HANDSHAKE_TIMEOUT' } },
  {
    message: globs(
      '*self-signed certificate*',
      '*self signed certificate*',
      '*certificate has expired*',
      '*certificate is not yet valid*',
      '*certificate revoked*',
      '*unable to get local issuer certificate*',
      '*unable to get issuer certificate*',
      "*does not match certificate's altnames*",
      '*getaddrinfo ENOTFOUND*',
      '*Name resolution failed for target*', // gRPC
      '*unable to verify the first certificate*',
      // Deno, behind the URL.
      'error sending request *): *invalid peer certificate*',
      'error sending request *): *not known*',
      'error sending request *): *No such host*',
    ),
  },
];

/** Statuses of a request that is wrong: no repetition changes the answer. Of 403 and 413, those without a delay are meant. */
export const REFUSED_REQUEST: readonly ErrorPattern[] = [
  {
    status: [
      ...[400, 401, 402, 404, 405, 406, 407, 409, 410, 411, 412, 414, 415, 416, 417, 418, 421, 422, 423, 424],
      ...[426, 428, 431, 451, 501, 505, 506, 507, 508, 510, 511, 525, 526],
    ],
  },
  { status: [403, 413], unless: { retryAfter: true } },
];

/** A client that has met an error after which it did not retry, although those before it may pass. */
export const GAVE_UP: readonly ErrorPattern[] = [
  { name: '*RetryError', message: globs('* with non-retryable error*') }, // AI SDK
];

/** SQLSTATE of a constraint, a value, a syntax, a right, a name: whatever the text around it contains. */
export const REFUSED_SQLSTATES: readonly string[] = [
  '22*',
  '23*',
  '28*',
  '3D*',
  '3F*',
  '42*',
  '54*',
  '25P02',
  '25006',
  '0A000',
];

/** A statement that a database refused. Its text has the data in it, which may read like any failure: `Duplicate entry 'timed out'`. */
export const REFUSED_STATEMENT: readonly ErrorPattern[] = [
  { name: ['error', 'DatabaseError', 'PostgresError'], code: REFUSED_SQLSTATES }, // pg, postgres.js
  { sqlState: REFUSED_SQLSTATES },
  { code: ['ER_DUP_ENTRY', 'ER_PARSE_ERROR', 'ER_ACCESS_DENIED*', 'SQLITE_CONSTRAINT*'] },
];
