import type { Policy } from '@retry/core';
import { definePolicy, InvalidOptionsError, isRetryError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';
import { hasMethods, isYes } from '@retry/core/fields';

/** Reads the option `broker`; anything that is not a broker is reported. */
export function readBroker(fields: Fields): Broker {
  const broker = fields.optional('broker', A_BROKER);
  if (fields.value('broker') === undefined) fields.fail('broker', A_BROKER.message, A_BROKER.cure);
  // Never used when it is missing: the reported problem is thrown first.
  return broker ?? ({} as Broker);
}

/** The verbs by which a broker is recognised. */
const VERBS = ['submit', 'exchange', 'heartbeat', 'get', 'audit'] as const;

const A_BROKER = {
  accepts: (value: unknown): value is Broker => hasMethods(value, VERBS),
  message: 'must be a broker',
  cure: 'Use broker: createMemoryBroker(), createRedisBroker({ url }) or createPostgresBroker({ url }).',
};

/** Recognises a broker that was passed instead of the options. */
export const BARE_BROKER = {
  accepts: (value: unknown): boolean => A_BROKER.accepts(value),
  cure: 'Give it by its name: { broker }.',
};

/** Returns the broker inside a transaction. @throws {InvalidOptionsError} when it cannot join the user's transactions */
export function within(broker: Broker, transaction: unknown): Pick<Broker, 'submit' | 'exchange'> {
  if (broker.within !== undefined) return broker.within(transaction);
  const message = 'needs a broker in your own database, such as that of @retry/postgres';
  // The type only: a client may hold a password.
  const value = typeof transaction;
  throw new InvalidOptionsError([{ path: 'tx', value, message, cure: 'Leave tx out.' }], 'transaction');
}

/** The codes of the errors of a broker that has sent nothing in the transaction of the user. */
const UNSENT_CODES = ['INVALID_OPTIONS', 'NO_TRANSACTION'] as const;

/** Whether a call inside a transaction of the user was refused before anything was sent. */
export function isUnsent(error: unknown): boolean {
  return UNSENT_CODES.some((code) => isRetryError(error, code));
}

/** Whether the broker would reject the same call every time. `false` for an error that cannot even be read, and for a promise. */
export function isRefused(broker: Broker, error: unknown): boolean {
  try {
    return isYes(broker.isRefusal(error));
  } catch {
    return false;
  }
}

/** When to ask a broker again that has failed: before the leases of what was sent run out. */
export const BROKER_RETRY: Policy = definePolicy({
  backoff: { type: 'exponential', base: '50ms' },
  minDelay: '5ms', // no busy loop, whatever the jitter draws
  maxDelay: '5s',
});
