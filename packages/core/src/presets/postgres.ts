import {
  NO_CONNECTION_OF_POOL,
  PRISMA_AMBIGUOUS,
  PRISMA_NOT_APPLIED,
  QUERY_OF_KNEX,
} from './database-clients.ts';
import { codesInText, type ErrorFamily, endings, family, globs } from './family.ts';
import { REFUSED_SQLSTATES } from './permanent.ts';

/** The server has answered: nothing of the statement, and nothing of its transaction, is applied. */
const REFUSED = ['40001', '40P01', '55P03', '53300', '57P03', '57P05', '25P03', '25P04', '08001', '08004'];

/** The server's own words, where a client keeps no code. */
const REFUSED_TEXTS = endings(
  'could not serialize access due to *',
  'deadlock detected',
  'canceling statement due to lock timeout',
  'could not obtain lock on *',
  'remaining connection slots are reserved *',
  'sorry, too many clients already',
  'too many connections for *',
  'the database system is starting up',
  'the database system is shutting down',
  'the database system is in recovery mode',
  'canceling statement due to conflict with recovery',
);

/**
 * Matches errors of PostgreSQL that may pass, as pg, postgres.js, knex, kysely, drizzle, TypeORM, Sequelize, MikroORM, Slonik, Prisma
 * and PgBouncer throw them: with a code, in a cause, or only as text. Not the whole class `08*`: PgBouncer gives `08P01` to a wrong
 * password, too.
 *
 * @see PostgreSQL documentation, appendix A (SQLSTATE)
 */
export const postgres: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { code: [...REFUSED, 'CONNECT_TIMEOUT'] },
    { sqlState: REFUSED },
    codesInText(REFUSED),
    { message: REFUSED_TEXTS },
    {
      code: ['P2010', 'P2039'],
      message: ['remaining connection slots are reserved', 'too many clients already'],
    },
    {
      message: endings(
        'Connection terminated due to connection timeout',
        'timeout expired',
        'timeout exceeded when trying to connect',
      ),
    },
    {
      code: '08P01',
      message: globs(
        'query_wait_timeout*',
        'no more connections allowed*',
        'client_idle_timeout*',
        'idle transaction timeout*',
      ),
    },
    // While the server is down; newer versions say why the last login failed.
    {
      code: '08P01',
      message: globs('server login has been failing*'),
      unless: {
        message: globs(
          '*: password authentication failed*',
          '*: no pg_hba.conf entry*',
          '* does not exist (*',
        ),
      },
    },
    ...NO_CONNECTION_OF_POOL,
    ...PRISMA_NOT_APPLIED,
  ],
  ambiguous: [
    {
      code: [
        '57P01',
        '57P02',
        '08000',
        '08003',
        '08006',
        '08007',
        '40003',
        'CONNECTION_CLOSED',
        'CONNECTION_DESTROYED',
      ],
      unless: { name: 'NatsError' }, // CONNECTION_CLOSED is its use after close()
    },
    {
      message: endings(
        'Connection terminated',
        'Connection terminated unexpectedly',
        'Query read timeout',
        'terminating connection due to administrator command',
        'terminating connection because of crash of another server process',
        'server closed the connection unexpectedly*',
        // It was not sent itself, but drizzle and knex throw the failure of their own ROLLBACK in place of a COMMIT whose answer was lost.
        'Client has encountered a connection error and is not queryable',
      ),
    },
    codesInText(['57P01', '57P02', '08006']),
    { code: '08P01', message: globs('server conn crashed*') },
    // TypeORM, after the connection of a transaction was lost.
    { name: ['QueryRunnerProviderAlreadyReleasedError', 'QueryRunnerAlreadyReleasedError'] },
    QUERY_OF_KNEX,
    ...PRISMA_AMBIGUOUS,
  ],
  unless: [{ code: REFUSED_SQLSTATES }],
  // Its cause says that the connection was terminated.
  notAmbiguous: [{ message: endings('Connection terminated due to connection timeout') }],
});
