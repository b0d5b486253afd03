import { type ErrorFamily, endings, family, globs } from './family.ts';

/** Extended result codes of SQLITE_BUSY and SQLITE_LOCKED. */
const BUSY_NUMBERS = [5, 6, 261, 262, 517, 518, 773];

/**
 * Matches a locked database of SQLite, as better-sqlite3, node:sqlite, sqlite3, libsql, knex, kysely, drizzle, TypeORM and Prisma throw
 * it. Nothing is ambiguous: there is no network. SQLITE_BUSY_SNAPSHOT does not pass by waiting: repeat the whole transaction.
 */
export const sqlite: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { code: ['SQLITE_BUSY*', 'SQLITE_LOCKED*'] },
    { message: endings('database is locked', 'database table is locked*', 'database schema is locked*') },
    { code: ['P2010', 'P2039', 'P1008'], message: ['SQLITE_BUSY', 'SQLITE_LOCKED', 'database is locked'] },
    { code: 'ERR_SQLITE_ERROR', errno: BUSY_NUMBERS },
    { name: 'DriverAdapterError', message: globs('SocketTimeout') },
    { code: 'P1008', message: 'Operations timed out' },
  ],
  ambiguous: [],
});
