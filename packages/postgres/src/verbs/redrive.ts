import type { RedriveAnswer, RedriveOptions } from '@retry/core/broker';
import { keepableMs, readAnswers } from '@retry/core/broker/kit';
import { onEachOnce } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import { stepArguments } from '../operations/step.ts';
import type { WorkWaits } from '../wake/wait-for-work.ts';

/** What `redrive_runs` replies. */
interface Redriven {
  /** Lanes that have got runs, and lanes that have more in their schedule. */
  readonly ready?: readonly string[] | null;
  readonly later?: readonly string[] | null;
  readonly answers: string;
}

/** Sends dead letters to their lanes again, or onto the schedule, and wakes the workers of this process that wait for them. */
export async function redriveRuns(
  { database, workWaits }: { readonly database: Database; readonly workWaits: WorkWaits },
  ids: readonly string[],
  { keepAttempts = false, runAts, endedBefore, operation }: RedriveOptions = {},
): Promise<readonly RedriveAnswer[]> {
  const again = (answer: RedriveAnswer): RedriveAnswer => (answer === 'redriven' ? 'refused' : answer);
  const answer = async (chunk: readonly string[]): Promise<readonly RedriveAnswer[]> => {
    const text = await database.call('redrive_runs', {
      ids: chunk,
      keepAttempts,
      runAts: chunk.map((id) => whole(runAts?.get(id))),
      endedBefore: whole(endedBefore) ?? null,
      ...stepArguments(operation),
    });
    const { ready, later, answers } = JSON.parse(text ?? '') as Redriven; // what our own function builds
    workWaits.notify({ ready: ready ?? [], later: later ?? [] });
    return readAnswers('redrive', answers);
  };
  // A step is one statement, even without runs.
  return operation === undefined ? onEachOnce(ids, again, answer) : answer(ids);
}

function whole(at: number | undefined): number | undefined {
  return at === undefined ? undefined : keepableMs(at);
}
