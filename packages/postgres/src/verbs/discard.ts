import type { DiscardAnswer, DiscardOptions } from '@retry/core/broker';
import { keepableMs, readAnswers } from '@retry/core/broker/kit';
import { onEachOnce } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import { upToWhole } from '../driver/sql-values.ts';
import { stepArguments } from '../operations/step.ts';

/** Forgets ended runs. Their keys stay known for `keepKeysMs` after they ended. */
export async function discardRuns(
  database: Database,
  ids: readonly string[],
  { endedBefore, operation, keepKeysMs }: DiscardOptions & { readonly keepKeysMs: number },
): Promise<readonly DiscardAnswer[]> {
  const again = (answer: DiscardAnswer): DiscardAnswer => (answer === 'discarded' ? 'gone' : answer);
  const answer = async (chunk: readonly string[]): Promise<readonly DiscardAnswer[]> => {
    const given = {
      ids: chunk,
      keepKeysMs: upToWhole(keepKeysMs),
      endedBefore: endedBefore === undefined ? null : keepableMs(endedBefore),
      ...stepArguments(operation),
    };
    return readAnswers('discard', (await database.call('discard_runs', given)) ?? '');
  };
  // A step is one statement, even without runs.
  return operation === undefined ? onEachOnce(ids, again, answer) : answer(ids);
}
