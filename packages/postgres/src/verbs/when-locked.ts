import type {
  ExchangeReply,
  ExchangeRequest,
  Locked,
  SettleAnswer,
  Settlement,
  Submission,
  SubmitAnswer,
} from '@retry/core/broker';
import type { BatchSize } from '@retry/core/broker/kit';
import type { Call } from '../driver/call.ts';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import type { ExchangePort } from './exchange.ts';
import { exchange } from './exchange.ts';
import {
  hasUnique,
  SUBMISSIONS,
  submitChunk,
  submitRuns,
  submitUniqueChunk,
  UNIQUE_SUBMISSIONS,
} from './submit.ts';

/** Submits runs, and answers `locked` where another transaction has a key: all of the statement that would wait for it. */
export function submitUnlocked(
  waiting: ExchangePort,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  const isUnique = hasUnique(submissions);
  // Ids that the library drew are new: nothing can wait for them.
  if (!isUnique && submissions.every(({ keyed = false }) => !keyed)) return submitRuns(waiting, submissions);
  const port = portOf(waiting);
  const [submitSome, limits] = isUnique
    ? [submitUniqueChunk, UNIQUE_SUBMISSIONS]
    : [submitChunk, SUBMISSIONS];
  return inChunks(submissions, (chunk) => orLocked(chunk, () => submitSome(port, chunk)), limits);
}

/** Settles runs one by one, and answers `locked` where another transaction has one; then claims. */
export async function exchangeUnlocked(
  waiting: ExchangePort,
  { settle = [], claim }: ExchangeRequest,
): Promise<ExchangeReply> {
  const port = portOf(waiting);
  let now: number | undefined;
  const settleOne = async (one: readonly Settlement[]): Promise<readonly SettleAnswer[]> => {
    const reply = await exchange(port, { settle: one });
    now = reply.now;
    return reply.settled;
  };
  const settled = await inChunks(settle, (one) => orLocked(one, () => settleOne(one)), ALONE);
  if (claim === undefined && now !== undefined) return { settled, claimed: [], now };
  return { ...(await exchange(waiting, claim === undefined ? {} : { claim })), settled };
}

function portOf(waiting: ExchangePort): ExchangePort {
  return { ...waiting, database: unlocked(waiting.database) };
}

/** All of a statement are answered `locked` where one is; callers settle few runs so. */
const ALONE: BatchSize<Settlement> = { count: 1 };

const LOCKED = new Error('another transaction has a lock that this call needs');

function unlocked(database: Database): Database {
  const call: Call = async (name, given) => {
    const reply = await database.callUnlocked(name, given);
    if (reply === undefined) throw LOCKED;
    return reply.text;
  };
  // Only a claim is replied in several rows.
  return { ...database, call, callRows: async (name, given) => [await call(name, given)] };
}

/** Answers `locked` for what was left, and for all when the statement had to wait. */
async function orLocked<Item, Answer>(
  items: readonly Item[],
  ask: () => Promise<readonly (Answer | undefined)[]>,
): Promise<readonly (Answer | Locked)[]> {
  try {
    const answers = await ask();
    return items.map((_, index) => answers[index] ?? 'locked');
  } catch (error) {
    if (error === LOCKED) return items.map(() => 'locked');
    throw error;
  }
}
