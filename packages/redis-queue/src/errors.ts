/** What is wrong with a server, or with how a broker was asked for; `code` is stable. */
export type RedisBrokerErrorCode =
  | 'REDIS_TOO_OLD'
  | 'REDIS_MAY_EVICT'
  | 'REDIS_CANNOT_WAIT'
  | 'REDIS_NOT_DURABLE'
  | 'INVALID_OPTIONS'
  | 'NEEDS_ONE_PARTITION'
  | 'BROKER_CLOSED'
  | 'INVALID_SETTLEMENT';

/** Thrown by a Redis broker; errors of the connection come as the client throws them. */
export class RedisBrokerError extends Error {
  override readonly name = 'RedisBrokerError';
  readonly code: RedisBrokerErrorCode;

  constructor(code: RedisBrokerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
