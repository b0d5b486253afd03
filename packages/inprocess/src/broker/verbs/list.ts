import type { ListQuery, Run, RunPage } from '@retry/core/broker';
import { copyRun, readCursor, sizedPage, writeCursor } from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import type { List, Place } from '../record/lists.ts';
import { listsOf } from '../record/lists.ts';
import type { Entry, Store } from '../record/store.ts';

/** The broker in the cursors: another memory broker has the same, as it has no name. */
const BROKER = 'memory';

/** Where a page ends: the list, and the last run in it. */
interface End {
  readonly list: string;
  readonly place: Place;
}

/** Returns the next runs that match, in the order of their lists. */
export function listRuns(store: Store, query: ListQuery): RunPage {
  const after = readEnd(query);
  const lists = listsOf(store, query);
  const from = lists.findIndex(({ name }) => name === after?.list);
  const found: { readonly list: string; readonly entry: Entry }[] = [];
  for (const list of lists.slice(Math.max(0, from))) {
    const isFirst = list.name === after?.list;
    // One more than the page has, so that the last page is known to be the last.
    const limit = query.limit + 1 - found.length;
    for (const entry of firstOf(list, query, { limit, after: isFirst ? after?.place : undefined }))
      found.push({ list: list.name, entry });
  }
  const listed = found.slice(0, query.limit).map(({ entry }) => entry.run);
  const runs = sizedPage(query.payloads === 'omit' ? listed.map(withoutPayload) : listed);
  const last = found[runs.length - 1];
  if (last === undefined || runs.length === found.length) return { runs };
  return { runs, next: writeEnd(query, { list: last.list, place: last.entry }) };
}

/** Returns the run without payload and result. */
export function withoutPayload(run: Run): Run {
  const copy = copyRun(run);
  copy.payload = '';
  copy.result = undefined;
  copy.trimmed = undefined;
  return copy;
}

function readEnd(query: ListQuery): End | undefined {
  const position = readCursor(BROKER, query);
  if (position === undefined) return undefined;
  const [list, lane, rank, order, id] = position as readonly [string, string, number, number, string]; // as written below
  return { list, place: { lane: { name: lane }, rank, order, run: { id } } };
}

function writeEnd(query: ListQuery, { list, place }: End): string {
  return writeCursor(BROKER, query, [list, place.lane.name, place.rank, place.order, place.run.id]);
}

/** Returns the first runs of a list that match, after a place. */
function firstOf(
  { entries, compare, isSorted }: List,
  query: ListQuery,
  { limit, after }: { readonly limit: number; readonly after: Place | undefined },
): readonly Entry[] {
  let first: Entry[] = [];
  // The last of a full page: later ones are skipped.
  let last: Entry | undefined;
  for (const entry of limit > 0 ? entries(after) : []) {
    if (isSorted && first.length === limit) return first;
    if (last !== undefined && compare(entry, last) > 0) continue;
    if ((after !== undefined && compare(entry, after) <= 0) || !matches(entry.run, query)) continue;
    first.push(entry);
    // Sorted and cut once per page of matches, so that a long list is never sorted as a whole.
    if (first.length < 2 * limit) continue;
    first = first.sort(compare).slice(0, limit);
    last = first.at(-1);
  }
  return first.sort(compare).slice(0, limit);
}

function matches(run: Run, { state, lane, errorGroup, endedBefore, errorName }: ListQuery): boolean {
  if (run.state !== state) return false;
  if (errorGroup !== undefined && run.errorGroup !== errorGroup) return false;
  if (lane !== undefined && run.lane !== lane) return false;
  if (errorName !== undefined && run.errors.at(-1)?.name !== errorName) return false;
  if (endedBefore === undefined) return true;
  return isEnd(state) && run.endedAt !== undefined && run.endedAt < endedBefore;
}
