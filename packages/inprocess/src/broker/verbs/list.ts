import type { ListQuery, Run, RunPage } from '@retry/core/broker';
import { isListed, pageOfRuns, readCursor, writeCursor } from '@retry/core/broker/kit';
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
  const found: { readonly list: string; readonly entry: Entry; readonly run: Run }[] = [];
  for (const list of lists.slice(Math.max(0, from))) {
    const isFirst = list.name === after?.list;
    // One more than the page has, so that the last page is known to be the last.
    const limit = query.limit + 1 - found.length;
    for (const entry of firstOf(list, query, { limit, after: isFirst ? after?.place : undefined }))
      found.push({ list: list.name, entry, run: entry.run });
  }
  return pageOfRuns(query, found, ({ list, entry }) => writeEnd(query, { list, place: entry }));
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
    if ((after !== undefined && compare(entry, after) <= 0) || !isListed(entry.run, query)) continue;
    first.push(entry);
    // Sorted and cut once per page of matches, so that a long list is never sorted as a whole.
    if (first.length < 2 * limit) continue;
    first = first.sort(compare).slice(0, limit);
    last = first.at(-1);
  }
  return first.sort(compare).slice(0, limit);
}
