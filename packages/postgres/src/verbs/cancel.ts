import type { CancelAnswer } from '@retry/core/broker';
import { answerOfLetter } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';
import { onEachOnce } from './chunks.ts';

/** The longest pause, in ms, before runs are asked for again that a transaction has locked. */
const MAX_PAUSE_MS = 100;

/** Cancels runs. Of an id that is given twice, the first is cancelled, and the second has ended. */
export async function cancelRuns(
  database: Database,
  ids: readonly string[],
): Promise<readonly CancelAnswer[]> {
  const again = (answer: CancelAnswer): CancelAnswer => (answer === 'cancelled' ? 'ended' : answer);
  return onEachOnce(ids, again, (chunk) => cancelChunk(database, chunk));
}

/** Repeats the call for runs that are `locked`, which a transaction is settling and may keep locked for long. */
async function cancelChunk(database: Database, ids: readonly string[]): Promise<readonly CancelAnswer[]> {
  const answers = new Map<string, CancelAnswer>();
  let left = ids;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const letters = await database.call('cancel_runs', { ids: left });
    for (const [index, id] of left.entries()) {
      const answer = answerOfLetter('cancel', letters?.[index] ?? '');
      if (answer !== undefined) answers.set(id, answer);
    }
    left = left.filter((id) => !answers.has(id));
    if (left.length === 0) return ids.flatMap((id) => answers.get(id) ?? []);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
