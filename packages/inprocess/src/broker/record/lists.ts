import type { ListQuery } from '@retry/core/broker';
import { compareText, isKeptLetter } from '@retry/core/broker/kit';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import { walk } from './deque.ts';
import { behindIn, scheduledEntries } from './lanes.ts';
import type { Entry, Store } from './store.ts';

/** What the lists are ordered by; each reads what it needs. */
export interface Place {
  readonly lane: { readonly name: string };
  readonly rank: number;
  readonly order: number;
  readonly run: { readonly id: string };
}

/** Runs of one state, or some of them, and their order in `list`. */
export interface List {
  readonly name: string;
  /** Yields its entries, those before the place not necessarily. */
  readonly entries: (after: Place | undefined) => Iterable<Entry>;
  readonly compare: (left: Place, right: Place) => number;
  /** They come in order, so that a page reads no more than its runs. Others are read as a whole. */
  readonly isSorted: boolean;
}

/** Returns the lists that have the runs of a state, in the order in which they are listed. */
export function listsOf(store: Store, { state, lane, errorGroup, disposable }: ListQuery): readonly List[] {
  if (isDeadLetter(state)) {
    if (errorGroup !== undefined)
      return [unsorted('grouped', byLaneAndId, () => groupedLetters(store, errorGroup))];
    const dead = unsorted('dead', byId, () => deadLettersOf(store));
    return disposable === 'omit' ? [dead] : [dead, ...endedLists(store)];
  }
  if (isEnd(state)) return endedLists(store);
  switch (state) {
    case 'unsubmitted':
      return [];
    case 'submitted':
      return [
        {
          ...{ name: 'waiting', compare: byLaneAndOrder, isSorted: true },
          entries: (after) => waitingEntries(store, { lane, after }),
        },
      ];
    case 'scheduled':
      return [unsorted('scheduled', byRunAt, () => scheduledEntries(lanesOf(store, lane)))];
    case 'started':
      return [unsorted('started', byId, () => store.leases)];
  }
}

function endedLists(store: Store): readonly List[] {
  return [
    unsorted('awaited', byRankAndId, () => store.awaited.filter(isNoDeadLetter)),
    {
      ...{ name: 'finished', compare: byOrder, isSorted: true },
      entries: (after) => walk(store.finished, placeIn(store, 'ended', after)),
    },
  ];
}

function unsorted(name: string, compare: List['compare'], entries: () => Iterable<Entry>): List {
  return { name, compare, entries, isSorted: false };
}

/** Yields the waiting runs of one lane after another, in their order. */
function* waitingEntries(
  store: Store,
  { lane, after }: { readonly lane: string | undefined; readonly after: Place | undefined },
): Iterable<Entry> {
  const parked = parkedByLane(store);
  for (const name of lane === undefined ? [...store.lanes.keys()].sort() : [lane]) {
    const known = store.lanes.get(name);
    if (known === undefined || (after !== undefined && name < after.lane.name)) continue;
    const from = placeIn(store, 'ready', after?.lane.name === name ? after : undefined);
    const others = [...known.returned, ...(parked.get(name) ?? []), ...behindIn(known)].sort(byOrder);
    yield* merge(others, walk(known.ready, from));
  }
}

function parkedByLane({ keys }: Store): ReadonlyMap<string, readonly Entry[]> {
  const byName = new Map<string, Entry[]>();
  for (const { parkings } of keys.values())
    for (const { lane, parked } of parkings) {
      const known = byName.get(lane.name);
      if (known === undefined) byName.set(lane.name, [...parked]);
      else known.push(...parked);
    }
  return byName;
}

function* merge(few: readonly Entry[], others: Iterable<Entry>): Iterable<Entry> {
  let index = 0;
  for (const entry of others) {
    for (let one = few[index]; one !== undefined && one.order < entry.order; one = few[index]) {
      yield one;
      index += 1;
    }
    yield entry;
  }
  yield* few.slice(index);
}

/** Returns the entry of a place, if it is still there. */
function placeIn(store: Store, location: Entry['location'], place: Place | undefined): Entry | undefined {
  const entry = place && store.entries.get(place.run.id);
  return entry?.location === location && entry.order === place?.order ? entry : undefined;
}

function* groupedLetters(store: Store, group: string): Generator<Entry> {
  for (const entry of deadLettersOf(store)) if (entry.run.errorGroup === group) yield entry;
}

/** Yields all dead letters, those that a caller waits for included. */
export function* deadLettersOf(store: Store): Generator<Entry> {
  yield* walk(store.deadLetters);
  for (const entry of store.awaited) if (!isNoDeadLetter(entry)) yield entry;
}

function isNoDeadLetter({ run }: Entry): boolean {
  return !isKeptLetter(run);
}

/** The store with one lane only, if one is given. */
function lanesOf(store: Store, name: string | undefined): Pick<Store, 'lanes'> {
  if (name === undefined) return store;
  const lane = store.lanes.get(name);
  return { lanes: new Map(lane === undefined ? [] : [[name, lane]]) };
}

const byLane = (left: Place, right: Place): number => compareText(left.lane.name, right.lane.name);
const byId = (left: Place, right: Place): number => compareText(left.run.id, right.run.id);
const byLaneAndId = (left: Place, right: Place): number => byLane(left, right) || byId(left, right);
const byOrder = (left: Place, right: Place): number => left.order - right.order;
const byRankAndId = (left: Place, right: Place): number => left.rank - right.rank || byId(left, right);
const byLaneAndOrder = (left: Place, right: Place): number => byLane(left, right) || byOrder(left, right);
const byRunAt = (left: Place, right: Place): number =>
  byLane(left, right) || left.rank - right.rank || byOrder(left, right);
