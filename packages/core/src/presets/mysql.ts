import {
  NO_CONNECTION_OF_POOL,
  PRISMA_AMBIGUOUS,
  PRISMA_NOT_APPLIED,
  QUERY_OF_KNEX,
} from './database-clients.ts';
import { codesInText, type ErrorFamily, endings, family, globs } from './family.ts';

const SOCKET_CODES = ['ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET', 'ER_SOCKET_UNEXPECTED_CLOSE'];

/**
 * A deadlock (also of a branch of XA, which may take too long, too), a lock wait, a changed record, a conflict in group replication,
 * too many connections (of the server, of a user).
 */
const REFUSED_NUMBERS = [1213, 1614, 1613, 1205, 3572, 1020, 3101, 1040, 1203];

/** A shutdown, a kill, and a server that could not read a packet or write one; 45009 and 45013 are of the client of MariaDB. */
const LOST_NUMBERS = [1053, 1927, 1158, 1159, 1160, 1161, 45_009, 45_013];

/**
 * Matches errors of MySQL and MariaDB that may pass, as mysql2, mariadb, knex, kysely, drizzle, TypeORM, Sequelize and Prisma throw
 * them. After 1205 only the statement is undone, after 1213 and 1020 everything: repeat the whole transaction.
 */
export const mysql: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    {
      code: [
        'ER_LOCK_DEADLOCK',
        'ER_LOCK_WAIT_TIMEOUT',
        'ER_LOCK_NOWAIT',
        'ER_CHECKREAD',
        'ER_CON_COUNT_ERROR',
        'ER_TOO_MANY_USER_CONNECTIONS',
        'ER_CONNECTION_TIMEOUT',
      ],
    },
    { errno: REFUSED_NUMBERS, sqlState: '*' },
    { code: REFUSED_NUMBERS.map(String) }, // Prisma
    codesInText([...REFUSED_NUMBERS, 45_012, 45_028]),
    { code: ['ER_USER_LIMIT_REACHED', '1226'], message: "'max_user_connections'" },
    { code: ['P2010', 'P2039'], message: "'max_user_connections'" },
    {
      message: endings(
        'Deadlock found when trying to get lock; try restarting transaction*',
        'Lock wait timeout exceeded; try restarting transaction*',
        'Record has changed since last read in table *',
        'Too many connections',
      ),
    },
    {
      message: globs(
        // 1047 is any unknown command, too; 4031 of MySQL is a missing trigger in MariaDB, whose clients name each after the other.
        '*WSREP has not yet prepared node*',
        '*The client was disconnected by the server because of inactivity*',
      ),
    },
    // A pool of `mariadb` says ER_GET_CONNECTION_TIMEOUT for a wrong password, too: then it has a cause.
    {
      code: ['ER_GET_CONNECTION_TIMEOUT', '45028'],
      message: 'failed to retrieve a connection from pool',
      unless: {
        code: ['ER_ACCESS_DENIED*', 'ER_DBACCESS_DENIED*', 'ER_BAD_DB_ERROR', '1044', '1045', '1049'],
      },
    },
    { code: 'ER_GET_CONNECTION_TIMEOUT', cause: { code: SOCKET_CODES } },
    ...NO_CONNECTION_OF_POOL,
    ...PRISMA_NOT_APPLIED,
  ],
  ambiguous: [
    {
      code: [
        'PROTOCOL_CONNECTION_LOST',
        'PROTOCOL_SEQUENCE_TIMEOUT',
        'ER_SOCKET_UNEXPECTED_CLOSE',
        'ER_CMD_CONNECTION_CLOSED',
        'ER_SERVER_SHUTDOWN',
        'ER_CONNECTION_KILLED',
        'ER_NORMAL_SHUTDOWN',
        ...LOST_NUMBERS.map(String),
      ],
    },
    codesInText(LOST_NUMBERS),
    { errno: [...LOST_NUMBERS, 2006, 2013], sqlState: '*' },
    {
      message: endings(
        'Connection lost: The server closed the connection.',
        "Can't add new command when connection is in closed state",
        'socket has unexpectedly been closed',
        'Cannot execute new commands: connection closed*',
      ),
    },
    QUERY_OF_KNEX,
    ...PRISMA_AMBIGUOUS,
  ],
  unless: [
    { sqlState: ['22*', '23*', '28*', '42S*'] },
    { code: ['ER_DUP_ENTRY', 'ER_PARSE_ERROR', 'ER_ACCESS_DENIED*'] },
  ],
});
