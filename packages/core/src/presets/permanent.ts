import type { ErrorPattern } from '../matching/matcher.ts';
import { globs } from './family.ts';

/** A refused certificate, no common version of TLS, an unknown host: wherever it is below, a client may call it a status of 500. */
export const NEVER_CONNECTS: readonly ErrorPattern[] = [
  {
    code: [
      'CERT_*',
      '*SELF_SIGNED_CERT*',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_*',
      'UNABLE_TO_DECRYPT_*',
      'HOSTNAME_MISMATCH',
      'ERR_TLS_*',
      'ERR_SSL_*',
      'EPROTO',
      'ENOTFOUND',
      'UND_ERR_DESTROYED',
    ],
  },
  {
    message: globs(
      '*self-signed certificate*',
      '*self signed certificate*',
      '*certificate has expired*',
      "*does not match certificate's altnames*",
      '*getaddrinfo ENOTFOUND*',
      '*Name resolution failed for target*', // gRPC
      'unable to verify the first certificate*',
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
