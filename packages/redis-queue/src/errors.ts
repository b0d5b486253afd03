import { BrokerError } from '@retry/core/broker';

/** Codes of the errors of this package, beside those of every broker. */
export type RedisBrokerErrorCode =
  /** The package `redis` is not installed. */
  | 'NO_DRIVER'
  | 'REDIS_UNREACHABLE'
  | 'REDIS_TOO_OLD'
  | 'REDIS_MAY_EVICT'
  /** The server does not support `durability: 'wait-aof'`. */
  | 'REDIS_CANNOT_WAIT'
  /** The append-only file was not written in time. */
  | 'REDIS_NOT_DURABLE'
  | 'MISSING_RIGHTS'
  | 'NEEDS_ONE_PARTITION';

/**
 * The server is not fit for the broker, or the broker was used wrongly; `code` is stable. Errors of the connection are passed on
 * as the client throws them.
 */
export class RedisBrokerError extends BrokerError<RedisBrokerErrorCode> {
  override readonly name = 'RedisBrokerError';
}
