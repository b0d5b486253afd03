import type { CancelTimer } from '@retry/core';
import { armDueTimer, wake } from '../wake/wake.ts';
import type { Deque } from './deque.ts';
import { createDeque, pushBack, pushFront, unlink } from './deque.ts';
import type { Entry } from './entry.ts';
import { move } from './entry.ts';
import type { Heap } from './heap.ts';
import { push, remove } from './heap.ts';
import type { Store } from './store.ts';

/** The runs of one lane that wait, and who waits for them. */
export interface Lane {
  readonly name: string;
  readonly ready: Deque<Entry>;
  /** Runs whose concurrency key is free again, in their old order: most stood before those in `ready`. */
  readonly returned: Heap<Entry>;
  /** By `runAt`. */
  readonly scheduled: Heap<Entry>;
  readonly waiters: Set<() => void>;
  /** Stops the timer of the next due instant; it runs only while somebody waits. */
  cancelTimer: CancelTimer | undefined;
}

/** The lane of this name; made when nobody has named it before. */
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
  entry.place = 'ready';
  entry.order = ++store.backOrder;
  pushBack(entry.lane.ready, entry);
  wake(entry.lane);
}

/** Puts a submitted run at the front of its lane. */
export function enqueueFront(store: Store, entry: Entry): void {
  entry.place = 'ready';
  entry.order = --store.frontOrder;
  pushFront(entry.lane.ready, entry);
  wake(entry.lane);
}

/** Puts a run that was parked back where it stood in its lane. */
export function giveBack(entry: Entry): void {
  entry.place = 'returned';
  entry.rank = 0;
  push(entry.lane.returned, entry);
  wake(entry.lane);
}

/** Puts a scheduled run aside until it is due. */
export function schedule(store: Store, entry: Entry): void {
  const { lane } = entry;
  entry.place = 'scheduled';
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

/** Which run of the lane is next; it stays there. */
export function nextOf(lane: Lane): Entry | undefined {
  const { first } = lane.ready;
  const returned = lane.returned[0];
  if (first === undefined || returned === undefined) return first ?? returned;
  return returned.order < first.order ? returned : first;
}

/** Takes a run out of the lane or its schedule. */
export function takeOut(entry: Entry): void {
  const { lane, place } = entry;
  entry.place = 'none';
  if (place === 'ready') unlink(lane.ready, entry);
  if (place === 'returned') remove(lane.returned, entry);
  if (place === 'scheduled') remove(lane.scheduled, entry);
}
