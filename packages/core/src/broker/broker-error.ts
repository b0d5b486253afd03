import { RetryError } from '../errors.ts';

/** What is wrong with how a broker is used, or with what it works on. What a server says comes through as it was. */
export class BrokerError extends RetryError {
  override readonly name: string = 'BrokerError';
}

/** A call of a broker after `close`. @param broker - its kind: `memory`, `Redis`, `Postgres` */
export function closedError(broker: string): BrokerError {
  return new BrokerError('BROKER_CLOSED', `the ${broker} broker is closed. Create another one.`);
}

/** A settlement that would not end its claim. */
export function unsettledError(id: string, state: string): BrokerError {
  return new BrokerError(
    'INVALID_SETTLEMENT',
    `a settlement ends a claim, but that of run ${id} leads to ${state}. Settle the next state.`,
  );
}
