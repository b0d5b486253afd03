import type { Locked, Settlement, Submission, SubmitAnswer, WithoutWaiting } from '@retry/core/broker';
import type { Call } from '../driver/call.ts';
import type { ChunkLimits } from '../driver/chunks.ts';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import type { ExchangePort } from './settle-and-claim.ts';
import { settleAndClaim } from './settle-and-claim.ts';
import { hasUnique, submitUniqueChunk, UNIQUE_SUBMISSIONS } from './submit/unique.ts';
import { SUBMISSIONS, submitChunk, submitRuns } from './submit.ts';

/**
 * Returns the verbs that answer `locked` where another transaction has locked a run or a key. One that waits for a key fails its
 * statement, so that all of the statement are answered so.
 */
export function createWithoutWaiting(waiting: ExchangePort): WithoutWaiting {
  const port: ExchangePort = { ...waiting, database: unlocked(waiting.database) };
  return {
    submit: (submissions) => submit({ waiting, port }, submissions),
    settle: (settlements) =>
      inChunks(
        settlements,
        (settle) => orLocked(settle, async () => (await settleAndClaim(port, { settle })).settled),
        ALONE,
      ),
  };
}

/** All of a statement are answered `locked` where one is; callers settle few runs so. */
const ALONE: ChunkLimits<Settlement> = { maxItems: 1 };

function submit(
  { waiting, port }: { readonly waiting: ExchangePort; readonly port: ExchangePort },
  submissions: readonly Submission[],
): Promise<readonly (SubmitAnswer | Locked)[]> {
  if (hasUnique(submissions)) {
    const submitUnique = (chunk: readonly Submission[]) =>
      orLocked(chunk, () => submitUniqueChunk(port, chunk));
    return inChunks(submissions, submitUnique, UNIQUE_SUBMISSIONS);
  }
  // Ids that the library drew are new: nothing can wait for them.
  if (submissions.every(({ keyed = false }) => !keyed)) return submitRuns(waiting, submissions);
  return inChunks(submissions, (chunk) => orLocked(chunk, () => submitChunk(port, chunk)), SUBMISSIONS);
}

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
