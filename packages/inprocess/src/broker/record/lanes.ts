import { armDueTimer, wake } from '../wake/wake.ts';
import { createDeque, pushBack, pushFront, unlink, walk } from './deque.ts';
import { move } from './entry.ts';
import { push, remove } from './heap.ts';
import type { Entry, Lane, Store } from './store.ts';

/** Returns the lane of this name; creates it when the name is new. */
export function laneOf(store: Store, name: string): Lane {
  const known = store.lanes.get(name);
  if (known !== undefined) return known;
  const lane: Lane = {
    name,
    ready: createDeque(),
    returned: [],
    scheduled: [],
    waiters: new Set(),
    cancelTimer: undefined,
  };
  store.lanes.set(name, lane);
  return lane;
}

/** Puts a submitted run at the back of its lane. */
export function enqueueBack(store: Store, entry: Entry): void {
  entry.location = 'ready';
  entry.order = ++store.backOrder;
  pushBack(entry.lane.ready, entry);
  wake(store, entry.lane);
}

/** Puts a submitted run at the front of its lane. */
export function enqueueFront(store: Store, entry: Entry): void {
  entry.location = 'ready';
  entry.order = --store.frontOrder;
  pushFront(entry.lane.ready, entry);
  wake(store, entry.lane);
}

/** Returns a parked run to its lane, with the order that it had there. */
export function returnToLane(store: Store, entry: Entry): void {
  entry.location = 'returned';
  entry.rank = 0;
  push(entry.lane.returned, entry);
  wake(store, entry.lane);
}

/** Puts a scheduled run aside until it is due. */
export function schedule(store: Store, entry: Entry): void {
  const { lane } = entry;
  entry.location = 'scheduled';
  entry.order = ++store.backOrder;
  entry.rank = entry.run.runAt ?? 0;
  push(lane.scheduled, entry);
  if (lane.scheduled[0] === entry) armDueTimer(store, lane);
}

/** Moves at most `limit` due runs from the schedule to the back of the lane, earliest due first. */
export function promoteDue(store: Store, lane: Lane, { now, limit }: { now: number; limit: number }): void {
  for (let count = 0; count < limit; count++) {
    const entry = lane.scheduled[0];
    if (entry === undefined || entry.rank > now) return;
    remove(lane.scheduled, entry);
    entry.run = move(entry.run, { type: 'promote', at: now });
    enqueueBack(store, entry);
  }
}

/** Moves at most `limit` due runs from the schedule to the front of the lane, where the earliest due is the first. */
export function promoteFirst(store: Store, lane: Lane, { now, limit }: { now: number; limit: number }): void {
  const due: Entry[] = [];
  for (let [entry] = lane.scheduled; due.length < limit; [entry] = lane.scheduled) {
    if (entry === undefined || entry.rank > now) break;
    remove(lane.scheduled, entry);
    entry.run = move(entry.run, { type: 'promote', at: now });
    due.push(entry);
  }
  for (const entry of due.reverse()) enqueueFront(store, entry);
}

/** Returns how many runs a claim finds in the lane. */
export function waitingIn({ ready, returned }: Lane): number {
  return ready.size + returned.length;
}

/** Yields every submitted run, in any order. */
export function* submittedEntries({ lanes, keys }: Pick<Store, 'lanes' | 'keys'>): Generator<Entry> {
  for (const { ready, returned } of lanes.values()) {
    yield* walk(ready);
    yield* returned;
  }
  for (const { parkings } of keys.values()) {
    for (const { parked } of parkings) yield* parked;
  }
}

/** Yields every scheduled run, in any order. */
export function* scheduledEntries({ lanes }: Pick<Store, 'lanes'>): Generator<Entry> {
  for (const { scheduled } of lanes.values()) yield* scheduled;
}

/** Returns the next run of the lane, without removing it. */
export function nextOf(lane: Lane): Entry | undefined {
  const { first } = lane.ready;
  const returned = lane.returned[0];
  if (first === undefined || returned === undefined) return first ?? returned;
  return returned.order < first.order ? returned : first;
}

/** Removes a run from the lane or its schedule. */
export function takeOut(entry: Entry): void {
  const { lane, location } = entry;
  entry.location = 'none';
  if (location === 'ready') unlink(lane.ready, entry);
  if (location === 'returned') remove(lane.returned, entry);
  if (location === 'scheduled') remove(lane.scheduled, entry);
}
