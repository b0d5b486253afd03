import { BrokerError } from '@retry/core/broker';

/** The codes of the errors of this package. */
export type RedisErrorCode =
  /** The user's client converts replies: numbers to text, or text to buffers. */
  | 'CLIENT_CONVERTS_REPLIES'
  /** The user's client was not connected, or is closed. */
  | 'CLIENT_NOT_CONNECTED'
  /** What ended a time ago could not be forgotten; the next look of a cleaner tries it again. */
  | 'FORGETTING_FAILED'
  | 'MISSING_RIGHTS'
  /** The server is one node of a Cluster, and the client knows only that one. */
  | 'NEEDS_CLUSTER_CLIENT'
  | 'NEEDS_ONE_PARTITION'
  /** The package `redis` is not installed. */
  | 'NO_DRIVER'
  /** The server does not support `durability: 'wait-aof'`. */
  | 'REDIS_CANNOT_WAIT'
  | 'REDIS_MAY_EVICT'
  /** The append-only file was not written in time. */
  | 'REDIS_NOT_DURABLE'
  /** The server is a replica. */
  | 'REDIS_READ_ONLY'
  | 'REDIS_TOO_OLD'
  | 'REDIS_UNREACHABLE';

/** A wrong use of the broker, or a server that it cannot work with; `code` is stable. Errors of the server pass unchanged. */
export class RedisBrokerError extends BrokerError<RedisErrorCode> {
  override readonly name = 'RedisBrokerError';
}

/** The error of a reply that no script sends: the client made another one of it, or has not sent the script. */
export function changedReply(reply: unknown): RedisBrokerError {
  const seen =
    typeof reply === 'string' ? JSON.stringify(reply.slice(0, 100)) : `a value of type ${typeof reply}`;
  const cure =
    'Pass a client that replies what the server sends, and open no transaction on it (multi without pipeline, of ioredis).';
  const message = `the client replied ${seen} to a script of the broker: whether the call did its work is unknown. ${cure}`;
  return new RedisBrokerError('CLIENT_CONVERTS_REPLIES', message);
}

/** Whether a server refused a write because it is a replica. Redis before 7.0 says so within the error of the script. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && /(?:^|-)READONLY /.test(error.message);
}

/** The error of a server that is a replica. */
export function readOnly(cause?: unknown): RedisBrokerError {
  const message =
    'this server is a replica, and a queue needs the primary. Connect to the primary, by a name that follows it after a failover.';
  return new RedisBrokerError('REDIS_READ_ONLY', message, cause === undefined ? {} : { cause });
}

/** The error of a cleaner's look that found what has expired, and could not forget what is kept for a time. */
export function forgettingFailed(cause: unknown): RedisBrokerError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `what has been kept for as long as it is to be kept could not be forgotten: ${reason}. The next look of a cleaner tries it again.`;
  return new RedisBrokerError('FORGETTING_FAILED', message, { cause });
}

/** The name of the error of a run that is failed because its body or record cannot be read. */
export const UNREADABLE_RUN = 'UNREADABLE_RUN';
