import type { Broker } from '@retry/core/broker';

/** The broker inside a transaction. @throws {TypeError} when it has no part in the user's transactions */
export function within(broker: Broker, transaction: unknown): Pick<Broker, 'submit' | 'exchange'> {
  if (broker.within !== undefined) return broker.within(transaction);
  throw new TypeError(
    'tx needs a broker in your own database, such as that of @retry/postgres. Leave tx out.',
  );
}
