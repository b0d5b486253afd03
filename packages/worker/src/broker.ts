import type { Policy } from '@retry/core';
import { definePolicy, InvalidOptionsError, isRetryError } from '@retry/core';
import type { Broker, HeartbeatRequest, ReadFigures } from '@retry/core/broker';
import { settledBy } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';
import { hasMethods, isYes } from '@retry/core/fields';
import { InsightError } from './errors.ts';

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

/** Returns the verb for figures. @param call - what needs it. @throws {InsightError} `NO_INSIGHT` when the broker has none */
export function figuresOf({ figures }: Broker, call: string): ReadFigures {
  if (figures !== undefined) return figures;
  throw new InsightError(call);
}

/**
 * Asks the broker whether a claim was completed in a transaction of its handler that has been committed. Such a commit ends the lease,
 * so heartbeats and other settlements of the claim are refused from then on, as they are where another worker has the run.
 */
export async function isCommitted(
  { get }: Pick<Broker, 'get'>,
  { id, epoch }: HeartbeatRequest,
): Promise<boolean> {
  const [run] = await get([id]);
  // Only runs that have ended are ever forgotten.
  return run === undefined || run.settledBy === settledBy(epoch, 'complete');
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

/** The pause before what another client's transaction has locked is asked for again for the first time, in ms. */
export const FIRST_LOCKED_PAUSE_MS = 5;

const LONGEST_LOCKED_PAUSE_MS = 100;

/** Returns the pause that follows this one while the same is locked, in ms: twice as long, at most 100 ms. */
export function nextLockedPauseMs(pauseMs: number): number {
  return Math.min(2 * pauseMs, LONGEST_LOCKED_PAUSE_MS);
}
