import type { ListQuery, Run } from '@retry/core/broker';
import { STATE_LETTERS, sizedPage } from '@retry/core/broker/kit';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import type { KeptState } from '../record/layout.ts';
import { pageOfDeadScript, scanScript } from '../scripts/list.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';
import { getRuns } from './get.ts';

/** How many runs are read in one step, without their payloads. */
const STEP = 1_000;

/**
 * Returns the runs that match, by ascending id. Dead letters are sorted by id, so that a page takes time by its own size; runs
 * of other states are found by a scan of all runs, some hundred in a call, so that no call blocks the server. Payloads and
 * results are read last, of the runs on the page.
 */
export async function listRuns(store: Store, query: ListQuery): Promise<readonly Run[]> {
  if (query.state === 'unsubmitted' || query.limit < 1) return [];
  const found = await findMatching(store, query);
  if (query.payloads === 'omit') return sizedPage(found);
  return readPage(store, found, query);
}

async function findMatching(store: Store, query: ListQuery): Promise<readonly Run[]> {
  if (!isDeadLetter(query.state)) return scanRuns(store, query);
  const { found, isAll } = await listDead(store, query);
  if (isAll) return found;
  // Disposable dead letters are among the completed runs, and are found as those are.
  const others = await scanRuns(store, query);
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

async function scanRuns(store: Store, query: ListQuery): Promise<readonly Run[]> {
  const letter = STATE_LETTERS[query.state as KeptState]; // refused before
  const ids: string[] = [];
  let cursor = '0';
  do {
    const reply = await runScript(store, scanScript, [cursor, letter]);
    const [next, page] = reply as readonly [string, readonly string[]]; // what our own script returns
    ids.push(...page.filter((id) => query.after === undefined || compareIds(id, query.after) > 0));
    cursor = next;
  } while (cursor !== '0');
  const sorted = [...new Set(ids)].sort(compareIds);
  const found: Run[] = [];
  for (let from = 0; from < sorted.length && found.length < query.limit; from += STEP)
    found.push(
      ...(await readMatching(store, sorted.slice(from, from + STEP), { ...query, payloads: 'omit' })),
    );
  return found.slice(0, query.limit);
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

/** Compares ids as Redis does: by their bytes. */
export function compareIds(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
