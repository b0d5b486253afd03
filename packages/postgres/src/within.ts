import { InvalidOptionsError } from '@retry/core';
import type { Broker, ExchangeReply, ExchangeRequest } from '@retry/core/broker';
import { callFunction } from './database.ts';
import { readSettled } from './exchange.ts';
import type { PostgresBrokerSettings } from './options.ts';
import { refuseUnsettled, settlementColumns, splitSettlements } from './settlement-rows.ts';
import type { SqlClient } from './sql-client.ts';
import { submissionColumns, submitAnswers } from './submit.ts';

/** What of a broker works inside a transaction of the user's. */
export type TransactionBroker = Pick<Broker, 'submit' | 'settleAndClaim'>;

/** No claim: that is no part of anybody's transaction. */
const NO_CLAIM = [null, null, null, null, null, null, null, null, null, null] as const;

/**
 * Submits and settles by the user's own connection, as part of the transaction that is open there. Nobody is told of
 * what may yet be rolled back (news leave with the commit, if they are wanted), and nothing is sent twice: a statement
 * that fails has ended the transaction.
 *
 * @throws {InvalidOptionsError} for what has no `query`
 */
export function brokerWithin(
  transaction: unknown,
  { schema, wakeOnCommit }: Pick<PostgresBrokerSettings, 'schema' | 'wakeOnCommit'>,
): TransactionBroker {
  const client = readTransaction(transaction);
  return {
    submit: async (submissions) => {
      if (submissions.length === 0) return [];
      const values = [...submissionColumns(submissions), wakeOnCommit];
      return submitAnswers(submissions, await callFunction(client, schema, { name: 'submit_runs', values }));
    },
    settleAndClaim: (request) => settleWithin(client, schema, request),
  };
}

async function settleWithin(
  client: SqlClient,
  schema: string,
  { settle = [], claim }: ExchangeRequest,
): Promise<ExchangeReply> {
  if (claim !== undefined) throw wrong('claim', 'cannot be part of a transaction', 'Claim outside of it.');
  refuseUnsettled(settle);
  let reply: ExchangeReply = { settled: [], claimed: [], now: 0 };
  for (const part of splitSettlements(settle)) {
    const settlements = part.flatMap((position) => settle[position] ?? []);
    const values = [...settlementColumns(settlements, [], 'keep'), ...NO_CLAIM, null, null, null];
    const { settled, now } = readSettled(await callFunction(client, schema, { name: 'exchange', values }));
    reply = { settled: [...reply.settled, ...settled], claimed: [], now };
  }
  return reply;
}

function readTransaction(transaction: unknown): SqlClient {
  if (canQuery(transaction)) return transaction;
  throw wrong(
    '',
    'must have query(text, values)',
    'Give the client that began it, or wrap it: see docs/postgres.md.',
  );
}

function canQuery(value: unknown): value is SqlClient {
  try {
    return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'query') === 'function';
  } catch {
    return false; // a Proxy that throws
  }
}

/** The value is not shown: it may be a client, with its password. */
function wrong(path: string, message: string, cure: string): InvalidOptionsError {
  return new InvalidOptionsError([{ path, value: undefined, message, cure }], 'transaction');
}
