import { BrokerError } from '@retry/core/broker';

/** What is wrong with how the broker is used; `code` is stable. What the server says comes through as it was. */
export class PostgresBrokerError extends BrokerError {
  override readonly name = 'PostgresBrokerError';
}
