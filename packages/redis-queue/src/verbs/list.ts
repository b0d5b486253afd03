import type { ListQuery, Run, RunPage } from '@retry/core/broker';
import type { Position } from '@retry/core/broker/kit';
import { readCursor, sizedPage, writeCursor } from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import type { Store } from '../store/store.ts';
import { getRuns } from './get.ts';
import type { Entry, Walk } from './list-steps.ts';
import { firstList, readStep } from './list-steps.ts';

/** How many runs are read in one call, without their payloads: about a millisecond of work. */
const STEP = 250;

/** How many entries one page looks at, at most, whether their runs match or not. */
const MAX_LOOK = 2_000;

/** A run, and the position behind it. */
interface Found {
  readonly run: Run;
  readonly position: Position;
}

/**
 * Returns the next runs that match. Each step reads entries where runs of the state are kept, from the position where the last one
 * ended, then their runs without payloads. No step takes more than some milliseconds, and a page is ended after a bounded number
 * of them. Payloads and results are read last, of the runs on the page.
 */
export async function listRuns(store: Store, query: ListQuery): Promise<RunPage> {
  const broker = store.keys.of.body;
  const walk: Walk = { store, query };
  const found: Found[] = [];
  let next = readCursor(broker, query) ?? firstList(query);
  // One more than the page has, so that the last page is known to be the last.
  for (let look = 0; next !== undefined && found.length <= query.limit && look < MAX_LOOK; ) {
    const room = Math.max(query.limit + 1 - found.length, leastOf(query, look));
    const step = await readStep(walk, next, room);
    found.push(...(await readEntries(store, step.entries, query)));
    next = step.end;
    look += step.look;
  }
  if (found.length > query.limit) next = found[query.limit - 1]?.position;
  const page = found.slice(0, query.limit);
  const runs = await readPage(store, page, query);
  if (runs.end < page.length) next = page[runs.end - 1]?.position;
  return next === undefined
    ? { runs: runs.runs }
    : { runs: runs.runs, next: writeCursor(broker, query, next) };
}

/**
 * How many entries to read at least. Where all runs of the list may match, as many as have been looked at: a list of dead letters with
 * few of the state is read in some steps, and a page that is filled at once reads no more than it has.
 */
function leastOf({ state, lane, errorGroup, errorName, endedBefore }: ListQuery, look: number): number {
  const waits = state === 'submitted' || state === 'scheduled';
  const isPlain =
    errorName === undefined &&
    endedBefore === undefined &&
    (waits || lane === undefined || errorGroup !== undefined);
  return isPlain ? Math.min(look, 2 * STEP) : 2 * STEP;
}

/** Reads the runs of a page with their payloads, as many as one page carries, and returns how many of the page those are. */
async function readPage(
  store: Store,
  page: readonly Found[],
  query: ListQuery,
): Promise<{ readonly runs: readonly Run[]; readonly end: number }> {
  if (query.payloads === 'omit') {
    const runs = sizedPage(page.map(({ run }) => run));
    return { runs, end: runs.length };
  }
  let runs: readonly Run[] = [];
  for (let from = 0; from < page.length; from += 8) {
    const ids = page.slice(from, from + 8).map(({ run }) => run.id);
    // Runs that moved meanwhile are not on this page.
    const longer = [...runs, ...(await readMatching(store, ids, { ...query, payloads: 'include' })).values()];
    runs = sizedPage(longer);
    const last = runs.at(-1);
    if (runs.length < longer.length)
      return { runs, end: page.findIndex(({ run }) => run.id === last?.id) + 1 };
  }
  return { runs, end: page.length };
}

/** Reads the runs of entries without their payloads, and returns those that match. */
async function readEntries(
  store: Store,
  entries: readonly Entry[],
  query: ListQuery,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < entries.length; from += STEP) {
    const part = entries.slice(from, from + STEP);
    const ids = part.map(({ id }) => id);
    const runs = await readMatching(store, ids, { ...query, payloads: 'omit' });
    for (const { id, lane, position } of part) {
      const run = runs.get(id);
      // An id may be left in a lane after its run was cancelled, and another one submitted elsewhere.
      if (run !== undefined && (lane === undefined || run.lane === lane)) found.push({ run, position });
    }
  }
  return found;
}

async function readMatching(
  store: Store,
  ids: readonly string[],
  query: ListQuery,
): Promise<ReadonlyMap<string, Run>> {
  const runs = await getRuns(store, ids, { payloads: query.payloads ?? 'include' });
  return new Map(
    runs.flatMap((run) => (run !== undefined && matches(run, query) ? [[run.id, run] as const] : [])),
  );
}

function matches(run: Run, { state, lane, errorGroup, endedBefore, errorName }: ListQuery): boolean {
  if (run.state !== state) return false;
  if (errorGroup !== undefined && run.errorGroup !== errorGroup) return false;
  if (lane !== undefined && run.lane !== lane) return false;
  if (errorName !== undefined && run.errors.at(-1)?.name !== errorName) return false;
  if (endedBefore === undefined) return true;
  return isEnd(state) && run.endedAt !== undefined && run.endedAt < endedBefore;
}
