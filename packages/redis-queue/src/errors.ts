import { BrokerError } from '@retry/core/broker';

/** The codes of the errors of this package. */
export type RedisErrorCode =
  /** The user's client converts replies: numbers to text, or text to buffers. */
  | 'CLIENT_CONVERTS_REPLIES'
  | 'MISSING_RIGHTS'
  | 'NEEDS_ONE_PARTITION'
  /** The package `redis` is not installed. */
  | 'NO_DRIVER'
  /** The server does not support `durability: 'wait-aof'`. */
  | 'REDIS_CANNOT_WAIT'
  | 'REDIS_MAY_EVICT'
  /** The append-only file was not written in time. */
  | 'REDIS_NOT_DURABLE'
  | 'REDIS_TOO_OLD'
  | 'REDIS_UNREACHABLE';

/** A wrong use of the broker, or a server that it cannot work with; `code` is stable. Errors of the server pass unchanged. */
export class RedisBrokerError extends BrokerError<RedisErrorCode> {
  override readonly name = 'RedisBrokerError';
}

/** The name of the error of a run that is failed because its body or record cannot be read. */
export const UNREADABLE_RUN = 'UNREADABLE_RUN';
