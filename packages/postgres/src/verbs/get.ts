import type { GetOptions, Run } from '@retry/core/broker';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import { readRun } from '../record/run.ts';
import type { RunValues } from '../schema/rows.ts';
import { readRow } from '../schema/rows.ts';

/** Returns the runs of these ids, in as many replies as they need. */
export async function getRuns(
  database: Database,
  ids: readonly string[],
  { collect = false }: GetOptions = {},
): Promise<readonly (Run | undefined)[]> {
  return inChunks(ids, async (chunk) => {
    const runs: (Run | undefined)[] = [];
    while (runs.length < chunk.length) {
      const text = await database.call('get_runs', { ids: chunk.slice(runs.length), collect });
      const rows = JSON.parse(text ?? '[]') as readonly (RunValues | null)[]; // what our own function builds
      if (rows.length === 0) throw new Error('a reply has one run at least');
      for (const values of rows) runs.push(values === null ? undefined : readRun(readRow(values)));
    }
    return runs;
  });
}
