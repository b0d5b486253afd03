import type { ListQuery, Run } from '@retry/core/broker';
import { STATE_LETTERS, sizedPage } from '@retry/core/broker/kit';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import { compareIds, FirstIds } from '../record/first-ids.ts';
import type { KeptState } from '../record/layout.ts';
import { pageOfDeadScript, scanScript } from '../scripts/list.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';
import { getRuns } from './get.ts';
import { readWaiting } from './list-waiting.ts';

/** How many runs are read in one step, without their payloads. */
const STEP = 250;

/**
 * Returns the runs that match, by ascending id. Dead letters are sorted by id, so that a page takes time by its own size. Ids of
 * runs that wait are read from where they wait, those of other states by a scan of all runs; the first of them are kept, and
 * only their runs are read. No call and no step of ours takes more than some milliseconds. Payloads and results are read last,
 * of the runs on the page.
 */
export async function listRuns(store: Store, query: ListQuery): Promise<readonly Run[]> {
  if (query.state === 'unsubmitted' || query.limit < 1) return [];
  const found = await findMatching(store, query);
  if (query.payloads === 'omit') return sizedPage(found);
  return readPage(store, found, query);
}

async function findMatching(store: Store, query: ListQuery): Promise<readonly Run[]> {
  if (!isDeadLetter(query.state)) return findFirst(store, query);
  const { found, isAll } = await listDead(store, query);
  if (isAll) return found;
  // Disposable dead letters are among the completed runs, and are found as those are.
  const others = await findFirst(store, query);
  const known = new Set(found.map(({ id }) => id));
  return firstOf([...found, ...others.filter(({ id }) => !known.has(id))], query.limit);
}

/** Returns the runs with their payloads, as many as one page carries. */
async function readPage(store: Store, found: readonly Run[], query: ListQuery): Promise<readonly Run[]> {
  let page: readonly Run[] = [];
  for (let from = 0; from < found.length; from += 8) {
    const ids = found.slice(from, from + 8).map(({ id }) => id);
    // Runs that moved meanwhile are not on this page.
    const read = await readMatching(store, ids, { ...query, payloads: 'include' });
    const longer = [...page, ...read];
    page = sizedPage(longer);
    if (page.length < longer.length) break;
  }
  return page;
}

async function listDead(
  store: Store,
  query: ListQuery,
): Promise<{ readonly found: readonly Run[]; readonly isAll: boolean }> {
  const found: Run[] = [];
  let isAll = true;
  for (let after = query.after ?? ''; found.length < query.limit; ) {
    const reply = await runScript(store, pageOfDeadScript, [after]);
    const [ids, disposable] = reply as readonly [readonly string[], number]; // what our own script returns
    if (disposable > 0) isAll = false;
    found.push(...(await readMatching(store, ids, { ...query, payloads: 'omit' })));
    const last = ids.at(-1);
    if (last === undefined) break;
    after = last;
  }
  return { found: found.slice(0, query.limit), isAll };
}

/** Finds the first ids of a state, then reads their runs; the next ids, should some have moved meanwhile. */
async function findFirst(store: Store, query: ListQuery): Promise<readonly Run[]> {
  const found: Run[] = [];
  for (let after = query.after; ; ) {
    const first = new FirstIds(query.limit, after);
    for await (const ids of candidates(store, query)) first.add(await sift(store, ids, { query, first }));
    const ids = first.all();
    found.push(...(await readOmitted(store, ids, query)));
    if (found.length >= query.limit || ids.length < query.limit) return found.slice(0, query.limit);
    after = ids.at(-1);
  }
}

/** Ids of runs in a state, and those among them that need to be looked at: the query may not mean them. */
interface Candidates {
  readonly ids: readonly string[];
  readonly doubtful: readonly string[];
}

async function* candidates(store: Store, query: ListQuery): AsyncGenerator<Candidates> {
  const { state, lane, errorName, endedBefore } = query;
  const isPlain = errorName === undefined && endedBefore === undefined;
  if (state === 'submitted' || state === 'scheduled')
    for await (const { ids, cancelled } of readWaiting(store, { state, lane }))
      yield { ids, doubtful: isPlain ? cancelled : ids };
  else
    for await (const ids of scanIds(store, STATE_LETTERS[state as KeptState])) // the other one is refused before
      yield { ids, doubtful: isPlain && lane === undefined ? [] : ids };
}

async function* scanIds(store: Store, letter: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const reply = await runScript(store, scanScript, [cursor, letter]);
    const [next, page] = reply as readonly [string, readonly string[]]; // what our own script returns
    yield page;
    cursor = next;
  } while (cursor !== '0');
}

/** Leaves out what the query does not mean: many such runs would take the places of others. */
async function sift(
  store: Store,
  { ids, doubtful }: Candidates,
  { query, first }: { readonly query: ListQuery; readonly first: FirstIds },
): Promise<readonly string[]> {
  const looked = new Set(doubtful.filter((id) => first.isWanted(id)));
  if (looked.size === 0) return ids;
  const meant = new Set((await readOmitted(store, [...looked], query)).map(({ id }) => id));
  return ids.filter((id) => !looked.has(id) || meant.has(id));
}

/** Reads runs without their payloads, as many in a call as take about a millisecond. */
async function readOmitted(store: Store, ids: readonly string[], query: ListQuery): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let from = 0; from < ids.length; from += STEP)
    runs.push(...(await readMatching(store, ids.slice(from, from + STEP), { ...query, payloads: 'omit' })));
  return runs;
}

async function readMatching(store: Store, ids: readonly string[], query: ListQuery): Promise<readonly Run[]> {
  const runs = await getRuns(store, ids, { payloads: query.payloads ?? 'include' });
  return runs.filter((run): run is Run => run !== undefined && matches(run, query));
}

function matches(run: Run, { state, lane, endedBefore, errorName }: ListQuery): boolean {
  if (run.state !== state) return false;
  if (lane !== undefined && run.lane !== lane) return false;
  if (errorName !== undefined && run.errors.at(-1)?.name !== errorName) return false;
  if (endedBefore === undefined) return true;
  return isEnd(state) && run.endedAt !== undefined && run.endedAt < endedBefore;
}

function firstOf(runs: readonly Run[], limit: number): readonly Run[] {
  return [...runs].sort((left, right) => compareIds(left.id, right.id)).slice(0, limit);
}
