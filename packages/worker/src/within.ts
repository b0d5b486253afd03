import { InvalidOptionsError } from '@retry/core';
import type { Broker } from '@retry/core/broker';

/** The broker inside a transaction. @throws {InvalidOptionsError} when it has no part in the user's transactions */
export function within(broker: Broker, transaction: unknown): Pick<Broker, 'submit' | 'settleAndClaim'> {
  if (broker.within !== undefined) return broker.within(transaction);
  const message = 'needs a broker in your own database, such as that of @retry/postgres';
  // Not the client itself: it may hold a password.
  const value = typeof transaction;
  throw new InvalidOptionsError([{ path: 'tx', value, message, cure: 'Leave tx out.' }], 'transaction');
}
