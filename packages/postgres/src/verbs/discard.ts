import type { DiscardAnswer } from '@retry/core/broker';
import { readAnswers } from '@retry/core/broker/kit';
import { onEachOnce } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import { upToWhole } from '../driver/sql-values.ts';

/** Forgets ended runs. @param keepKeysMs - how long their keys stay known after they ended */
export async function discardRuns(
  database: Database,
  ids: readonly string[],
  keepKeysMs: number,
): Promise<readonly DiscardAnswer[]> {
  const again = (answer: DiscardAnswer): DiscardAnswer => (answer === 'discarded' ? 'gone' : answer);
  return onEachOnce(ids, again, async (chunk) => {
    const given = { ids: chunk, keepKeysMs: upToWhole(keepKeysMs) };
    return readAnswers('discard', (await database.call('discard_runs', given)) ?? '');
  });
}
