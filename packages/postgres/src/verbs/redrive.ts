import type { RedriveAnswer, RedriveOptions } from '@retry/core/broker';
import { readAnswers } from '@retry/core/broker/kit';
import { onEachOnce } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import type { WorkWaits } from '../wake/wait-for-work.ts';

/** What `redrive_runs` replies. */
interface Redriven {
  /** Lanes that have got runs. */
  readonly lanes: readonly string[] | null;
  readonly answers: string;
}

/** Sends dead letters to their lanes again, and wakes the workers of this process that wait for them. */
export async function redriveRuns(
  { database, workWaits }: { readonly database: Database; readonly workWaits: WorkWaits },
  ids: readonly string[],
  { keepAttempts = false }: RedriveOptions = {},
): Promise<readonly RedriveAnswer[]> {
  const again = (answer: RedriveAnswer): RedriveAnswer => (answer === 'redriven' ? 'refused' : answer);
  return onEachOnce(ids, again, async (chunk) => {
    const text = await database.call('redrive_runs', { ids: chunk, keepAttempts });
    const { lanes, answers } = JSON.parse(text ?? '') as Redriven; // what our own function builds
    workWaits.notify({ ready: lanes ?? [], later: [] });
    return readAnswers('redrive', answers);
  });
}
