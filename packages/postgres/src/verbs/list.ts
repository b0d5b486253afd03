import type { ListQuery, Run, RunPage } from '@retry/core/broker';
import { MAX_BATCH_BYTES, readCursor, runBytes, writeCursor } from '@retry/core/broker/kit';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import type { Database } from '../driver/database.ts';
import { toCount, upToWhole } from '../driver/sql-values.ts';
import { readRun } from '../record/run.ts';
import type { RunValues } from '../schema/rows.ts';
import { readRow } from '../schema/rows.ts';

/** The entry of a list behind which a page begins: every value that some list is ordered by. */
type End = readonly [name: string, request: string, at: number, ord: number, id: string];

/** Before every entry. */
const START: End = ['', '', Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, ''];

/** What `list_runs` replies. */
interface Reply {
  readonly runs: readonly RunValues[];
  /** Null when the list has no more entries. */
  readonly end: End | null;
}

/** Lists runs in the order of the lists that have those of the state. */
export async function listRuns(database: Database, schema: string, query: ListQuery): Promise<RunPage> {
  const broker = `postgres ${schema}`;
  const [at, ...end] = readCursor(broker, query) ?? [];
  const lists = listsOf(query);
  const runs: Run[] = [];
  let after = at === undefined ? START : (end as unknown as End); // as written below
  for (const list of lists.slice(at === undefined ? 0 : lists.indexOf(at))) {
    // A page that is large already does not get as much again of the next list.
    if (runs.length >= query.limit || isLarge(runs))
      return { runs, next: writeCursor(broker, query, [list, ...START]) };
    const reply = await readList(database, { ...query, limit: query.limit - runs.length }, { list, after });
    runs.push(...reply.runs.map((values) => readRun(readRow(values))));
    if (reply.end !== null) return { runs, next: writeCursor(broker, query, [list, ...reply.end]) };
    after = START;
  }
  return { runs };
}

function isLarge(runs: readonly Run[]): boolean {
  return runs.reduce((sum, run) => sum + runBytes(run), 0) > MAX_BATCH_BYTES / 8;
}

/** The lists that have the runs of a state, in the order in which they are read. */
function listsOf({ state, errorGroup, disposable }: ListQuery): readonly string[] {
  if (state === 'unsubmitted') return [];
  if (errorGroup !== undefined) return ['grouped'];
  if (state === 'submitted') return ['waiting'];
  if (!isEnd(state)) return [state];
  const ended = ['awaited', 'finished'];
  if (!isDeadLetter(state)) return ended;
  return disposable === 'omit' ? ['dead'] : ['dead', ...ended];
}

async function readList(
  database: Database,
  query: ListQuery,
  { list, after }: { readonly list: string; readonly after: End },
): Promise<Reply> {
  const { state, lane = null, errorGroup = null, endedBefore, errorName = null, limit, payloads } = query;
  const [afterName, afterRequest, afterAt, afterOrd, afterId] = after;
  const reply = await database.call('list_runs', {
    ...{ list, state, lane, errorGroup, errorName, afterName, afterRequest, afterAt, afterOrd, afterId },
    endedBefore: endedBefore === undefined ? null : upToWhole(endedBefore),
    limit: toCount(limit),
    payloads: payloads !== 'omit',
  });
  return JSON.parse(reply ?? '') as Reply; // what our own function builds
}
