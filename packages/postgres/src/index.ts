export { PostgresBrokerError } from './errors.ts';
export type { MigrateOptions } from './migrate.ts';
export { migrate, migrationSql } from './migrate.ts';
export type { PostgresBrokerOptions } from './options.ts';
export type { PostgresBroker } from './postgres-broker.ts';
export { createPostgresBroker } from './postgres-broker.ts';
export type { SqlClient, SqlResult } from './sql-client.ts';
export type { TransactionBroker } from './within.ts';
