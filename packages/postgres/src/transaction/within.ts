import { InvalidOptionsError } from '@retry/core';
import type { Broker, ExchangeReply, ExchangeRequest, LockOptions, Settlement } from '@retry/core/broker';
import { refuseUnsettled } from '@retry/core/broker/kit';
import type { Call } from '../driver/call.ts';
import { createCall } from '../driver/call.ts';
import type { SqlClient } from '../driver/sql-client.ts';
import { isPgClient, isPgPool } from '../driver/users-client/users-client.ts';
import type { PostgresBrokerSettings } from '../options.ts';
import { NO_CLAIM } from '../record/claim-arguments.ts';
import { settlementArguments, splitSettlements, submissionsOf } from '../record/settlements.ts';
import { submissionArguments, submitArguments } from '../record/submissions.ts';
import { readSettled } from '../verbs/exchange.ts';
import { hasUnique, submitAnswers, uniqueAnswers, uniqueArguments } from '../verbs/submit.ts';
import { inOpenTransaction } from './in-open-transaction.ts';

/** What of a broker works inside a transaction of the user's. */
export type TransactionBroker = Pick<Broker, 'submit' | 'exchange'>;

/** A transaction forgets nothing: that is for a later exchange of a worker. */
const NO_RETENTION = {
  ...({ keepFinished: null, trimFrom: null, keepKeysMs: null, keepForMs: null, keepBytes: null } as const),
};

/**
 * Submits and settles by the user's own connection, as part of the transaction that is open on it.
 *
 * 1. No waiting process is notified of what may yet be rolled back; with `wakeOnCommit`, Postgres sends the notification
 *    when the transaction commits.
 * 2. No call is sent again: a statement that fails has ended the transaction.
 * 3. A client of `pg` that has no transaction open is refused: it would commit each call by itself.
 *
 * @throws {InvalidOptionsError} for a transaction without `query`, and for a pool
 */
export function brokerWithin(
  transaction: unknown,
  { schema, wakeOnCommit }: Pick<PostgresBrokerSettings, 'schema' | 'wakeOnCommit'>,
): TransactionBroker {
  const call = createCall(readTransaction(transaction), schema);
  return {
    submit: async (submissions, options) => {
      refuseAnswer(options);
      if (submissions.length === 0) return [];
      const notify = wakeOnCommit;
      if (hasUnique(submissions))
        return uniqueAnswers(await call('submit_unique', { ...uniqueArguments(submissions), notify }));
      const given = { ...submissionArguments(submissions), notify };
      return submitAnswers(submissions, await call('submit_runs', given));
    },
    exchange: (request) => settleWithin(call, request),
  };
}

async function settleWithin(call: Call, request: ExchangeRequest): Promise<ExchangeReply> {
  const { settle = [], claim } = request;
  refuseAnswer(request);
  if (claim !== undefined) throw wrong('claim', 'cannot be part of a transaction', 'Claim outside of it.');
  refuseUnsettled(settle);
  let reply: ExchangeReply = { settled: [], claimed: [], now: 0 };
  for (const part of splitSettlements(settle)) {
    const { settled, now } = readSettled(await settlePart(call, part));
    reply = { settled: [...reply.settled, ...settled], claimed: [], now };
  }
  return reply;
}

/** A statement that gives up at a lock would end the user's transaction. */
function refuseAnswer({ whenLocked }: LockOptions = {}): void {
  if (whenLocked !== 'answer') return;
  throw wrong('whenLocked', 'cannot be part of a transaction', 'Leave it out: the transaction waits.');
}

function settlePart(call: Call, part: readonly Settlement[]): Promise<string | null> {
  const given = { ...settlementArguments(part, null), notify: false, ...NO_RETENTION };
  const submissions = submissionsOf(part);
  if (submissions.length > 0) return call('settle_and_submit', { ...given, ...submitArguments(submissions) });
  return call('settle_and_claim', { ...given, ...NO_CLAIM });
}

function readTransaction(transaction: unknown): SqlClient {
  if (!canQuery(transaction)) {
    const cure = 'Pass the client that began it, or wrap it by inDrizzle, inKysely or inPrisma.';
    throw wrong('', 'must have query(text, values)', cure, `a value of type ${typeof transaction}`);
  }
  if (isPgClient(transaction)) return inOpenTransaction(transaction);
  if (!isPgPool(transaction)) return transaction;
  const cure =
    'Each call would go by any of its connections: pass the client that began the transaction, from await pool.connect() or transaction(pool, work).';
  throw wrong('', 'must be one connection', cure, 'a pool');
}

function canQuery(value: unknown): value is SqlClient {
  try {
    return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'query') === 'function';
  } catch {
    return false; // a Proxy that throws
  }
}

/** A client is shown as what it is: it has a password. */
function wrong(path: string, message: string, cure: string, value?: string): InvalidOptionsError {
  return new InvalidOptionsError([{ path, value, message, cure }], 'transaction');
}
