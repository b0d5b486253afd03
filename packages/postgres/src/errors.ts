import { BrokerError } from '@retry/core/broker';

/** The codes of the errors of this package. */
export type PostgresErrorCode =
  /** Something of others is in the way of a migration, or it would lose what was put on the schema. */
  | 'BLOCKED_MIGRATION'
  | 'CHANGED_REPLY'
  /** What ended a time ago could not be forgotten; the next look of a cleaner tries it again. */
  | 'FORGETTING_FAILED'
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

/** The error of a cleaner's look that found what has expired, and could not forget what is kept for a time. */
export function forgettingFailed(cause: unknown): PostgresBrokerError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `what has been kept for as long as it is to be kept could not be forgotten: ${reason}. The next look of a cleaner tries it again.`;
  return new PostgresBrokerError('FORGETTING_FAILED', message, { cause });
}

/** The name of the error of a run that is failed because its stored record cannot be read. */
export const UNREADABLE_RUN = 'UNREADABLE_RUN';
