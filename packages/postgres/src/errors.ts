import { BrokerError } from '@retry/core/broker';

/** The codes of the errors of this package. */
export type PostgresErrorCode =
  | 'CHANGED_REPLY'
  | 'INVALID_OPTIONS'
  | 'MISSING_RIGHTS'
  | 'NARROW_ENCODING'
  | 'NEWER_SCHEMA'
  | 'NOT_AWAITED'
  | 'NO_DRIVER'
  | 'NO_TRANSACTION'
  | 'OLDER_SCHEMA'
  | 'POOL_EXHAUSTED'
  | 'POSTGRES_UNREACHABLE'
  | 'READ_ONLY_SERVER'
  | 'UNKEEPABLE_TEXT';

/** A wrong use of the broker, or a database that it cannot work with; `code` is stable. Errors of the server pass unchanged. */
export class PostgresBrokerError extends BrokerError<PostgresErrorCode> {
  override readonly name = 'PostgresBrokerError';
}

/** The name of the error of a run that is failed because its stored record cannot be read. */
export const UNREADABLE_RUN = 'UNREADABLE_RUN';
