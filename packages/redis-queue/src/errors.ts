import { BrokerError } from '@retry/core/broker';

/**
 * What is wrong with a server, or with how a broker was asked for; `code` is stable. Errors of the connection come as
 * the client throws them.
 */
export class RedisBrokerError extends BrokerError {
  override readonly name = 'RedisBrokerError';
}
