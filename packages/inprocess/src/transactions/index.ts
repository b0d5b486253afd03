export type { PolicyInput } from '@retry/core';
export type { MysqlPool, PostgresPool, SqliteDatabase } from './begin.ts';
export { mysqlTransactions, postgresTransactions, RolledBackError, sqliteTransactions } from './begin.ts';
export type { Begin, TransactionOptions } from './retry-transaction.ts';
export { retryTransaction } from './retry-transaction.ts';
export { transactionPolicy } from './transaction-policy.ts';
