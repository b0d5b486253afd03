import type { ErrorPattern } from '../matching/matcher.ts';

/** Prisma, on any database: the kinds of its driver adapters, and the codes it gives to them. */
export const PRISMA_NOT_APPLIED: readonly ErrorPattern[] = [
  { code: ['P2034', 'P2037', 'P1001', 'P1002', 'P2024'] },
  { code: 'P2028', message: 'Unable to start a transaction in the given time' },
  { code: ['TransactionWriteConflict', 'TooManyConnections', 'DatabaseNotReachable'] },
  { code: ['P2010', 'P2039'], message: "Can't reach database server" },
];

/** Errors after which a statement or COMMIT may have been applied. */
export const PRISMA_AMBIGUOUS: readonly ErrorPattern[] = [
  { code: ['P1017', 'P1008'] },
  { code: ['P2010', 'P2039'], message: 'Server has closed the connection' },
  { code: 'ConnectionClosed' },
];

/** The pool of knex or of Sequelize had no connection. */
export const NO_CONNECTION_OF_POOL: readonly ErrorPattern[] = [
  { name: 'KnexTimeoutError', message: 'Timeout acquiring a connection' },
  { name: 'SequelizeConnectionAcquireTimeoutError' },
];

/** A query of knex that took longer than its `timeout()`: it has the class of the pool's. The server goes on unless it is cancelled. */
export const QUERY_OF_KNEX: ErrorPattern = {
  message: [
    { glob: 'Defined query timeout of *' },
    { glob: 'After query timeout of * cancelling of query failed.' },
  ],
};

/** The code of c-ares is that of requests of tedious, too, whose messages do not repeat it. */
export const REQUEST_OF_TEDIOUS: ErrorPattern = { code: 'ETIMEOUT', unless: { message: ' ETIMEOUT' } };
