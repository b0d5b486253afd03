import { REQUEST_OF_TEDIOUS } from './database-clients.ts';
import { type ErrorFamily, family, globs, globsOfAnyCase } from './family.ts';
import { GAVE_UP, NEVER_CONNECTS, REFUSED_REQUEST, REFUSED_STATEMENT } from './permanent.ts';

/** A pool or a connection, not a request. */
const NOT_CONNECTED = [
  { name: ['*AcquireTimeoutError', 'ConnectTimeoutError', 'ConnectionTimeoutError'] },
  {
    message: globsOfAnyCase(
      '*timeout*when trying to connect*',
      '*timeout acquiring a connection*',
      '*connection timeout',
      '*quisition timed out*', // rabbitmq-client has no c in it
      '*resourcerequest timed out*', // generic-pool
    ),
  },
];

/** A value in quotes, which a check refuses; and a login that is over. */
const NOT_OF_A_REQUEST = [
  ...["*timed out'*", '*timed out"*', '*timed out`*'],
  ...['*session timed out*', '*session has timed out*', '*log in again*', '*sign in again*'],
];

/**
 * Matches the timeouts of clients: of a pool or a connection, after which nothing was sent; and of a request, after which the server
 * may be at work still. An `AbortError` is none: it may be the caller's own abort.
 */
export const timeouts: ErrorFamily = /* @__PURE__ */ family({
  notApplied: NOT_CONNECTED,
  ambiguous: [
    { name: ['TimeoutError', '*TimeoutError', '*TimedOutError', '*TimeOutError'] },
    { code: ['TimeoutError', 'ESOCKETTIMEDOUT'] },
    REQUEST_OF_TEDIOUS,
    {
      message: [
        ...globsOfAnyCase(
          '*request timeout*',
          '*network timeout*',
          '*due to timeout*',
          '*due to operation timeout*',
          '*timeout of *exceeded*',
          '*timeout was reached*',
          '*timeout exceeded',
          'timeout error*',
          'timeout (*',
          'timeout',
          '"timeout"',
        ),
        { glob: '*timed out*', ignoreCase: true, except: NOT_OF_A_REQUEST },
        ...globs('ETIMEDOUT'),
      ],
    },
  ],
  unless: [...NEVER_CONNECTS, ...REFUSED_REQUEST, ...REFUSED_STATEMENT, ...GAVE_UP],
  notAmbiguous: NOT_CONNECTED,
});
