import type { ListQuery } from '@retry/core/broker';
import { isDeadLetter } from '@retry/core/lifecycle';
import { walk } from './deque.ts';
import { scheduledEntries, submittedEntries } from './lanes.ts';
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
  readonly entries: () => Iterable<Entry>;
  readonly compare: (left: Place, right: Place) => number;
}

/** Returns the lists that have the runs of a state, in the order in which they are listed. */
export function listsOf(store: Store, { state, lane, disposable }: ListQuery): readonly List[] {
  switch (state) {
    case 'unsubmitted':
      return [];
    case 'submitted':
      return [{ name: 'waiting', entries: () => submittedEntries(store), compare: byLaneAndOrder }];
    case 'scheduled':
      return [{ name: 'scheduled', entries: () => scheduledEntries(lanesOf(store, lane)), compare: byRunAt }];
    case 'started':
      return [{ name: 'started', entries: () => store.leases, compare: byId }];
    case 'completed':
    case 'cancelled':
    case 'dropped':
      return endedLists(store);
    case 'failed':
    case 'stalled':
    case 'rateLimited': {
      const dead: List = { name: 'dead', entries: () => deadLetters(store), compare: byId };
      return disposable === 'omit' ? [dead] : [dead, ...endedLists(store)];
    }
  }
}

function endedLists(store: Store): readonly List[] {
  return [
    { name: 'awaited', entries: () => store.awaited.filter(isNoDeadLetter), compare: byRankAndId },
    { name: 'finished', entries: () => walk(store.finished), compare: byOrder },
  ];
}

/** Those that a caller waits for included. */
function* deadLetters(store: Store): Generator<Entry> {
  yield* walk(store.deadLetters);
  for (const entry of store.awaited) if (!isNoDeadLetter(entry)) yield entry;
}

function isNoDeadLetter({ run }: Entry): boolean {
  return !isDeadLetter(run.state) || run.isDisposable === true;
}

/** The store with one lane only, if one is given. */
function lanesOf(store: Store, name: string | undefined): Pick<Store, 'lanes'> {
  if (name === undefined) return store;
  const lane = store.lanes.get(name);
  return { lanes: new Map(lane === undefined ? [] : [[name, lane]]) };
}

const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);
const byLane = (left: Place, right: Place): number => compareText(left.lane.name, right.lane.name);
const byId = (left: Place, right: Place): number => compareText(left.run.id, right.run.id);
const byOrder = (left: Place, right: Place): number => left.order - right.order;
const byRankAndId = (left: Place, right: Place): number => left.rank - right.rank || byId(left, right);
const byLaneAndOrder = (left: Place, right: Place): number => byLane(left, right) || byOrder(left, right);
const byRunAt = (left: Place, right: Place): number =>
  byLane(left, right) || left.rank - right.rank || byOrder(left, right);
