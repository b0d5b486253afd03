import type { GetOptions, Reading, Run, SeenRun } from '@retry/core/broker';
import { copyRun } from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import { readRun } from '../record/run.ts';
import type { RunValues } from '../schema/rows.ts';
import { readRow, TRIMMED_MARK } from '../schema/rows.ts';

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

/** What `read_runs` replies. */
interface ReadReply {
  readonly now: number;
  readonly runs: readonly (RunValues | null)[];
}

/** Returns runs without their payloads, and what they are recognised by, in as many replies as they need. */
export async function readRuns(database: Database, ids: readonly string[]): Promise<Reading> {
  let now = 0;
  const read = async (some: readonly string[]): Promise<readonly (RunValues | null)[]> => {
    const reply = JSON.parse((await database.call('read_runs', { ids: some })) ?? '') as ReadReply; // what our own function builds
    now = reply.now;
    return reply.runs;
  };
  if (ids.length === 0) await read([]);
  const runs = await inChunks(ids, async (chunk) => {
    const found: (SeenRun | undefined)[] = [];
    while (found.length < chunk.length) {
      const values = await read(chunk.slice(found.length));
      if (values.length === 0) throw new Error('a reply has one run at least');
      found.push(...values.map(seenRun));
    }
    return found;
  });
  return { now, runs };
}

function seenRun(values: RunValues | null): SeenRun | undefined {
  if (values === null) return undefined;
  const row = readRow(values);
  const { seen } = row;
  const isTrimmed = isEnd(row.state) && seen?.endsWith(TRIMMED_MARK) === true;
  const run = copyRun(readRun(row));
  run.result = undefined;
  run.trimmed = isTrimmed ? ['payload'] : undefined;
  return { run, seen: seen ?? '' };
}
