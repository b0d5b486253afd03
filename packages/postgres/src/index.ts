export type { PostgresBroker } from './create-postgres-broker.ts';
export { createPostgresBroker } from './create-postgres-broker.ts';
export type { SqlClient, SqlResult } from './driver/sql-client.ts';
export type { PostgresErrorCode } from './errors.ts';
export { PostgresBrokerError } from './errors.ts';
export type { MigrateOptions } from './migrate.ts';
export { migrate, migrationSql } from './migrate.ts';
export type { PostgresBrokerOptions } from './options.ts';
export type { TransactionBroker } from './verbs/transaction.ts';
