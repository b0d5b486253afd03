import { movedRun } from '@retry/core/broker/kit';
import { armDueTimer, wake } from '../wake/wake.ts';
import { createDeque, pushBack, pushFront, unlink, walk } from './deque.ts';
import { push, remove } from './heap.ts';
import type { Entry, Lane, Store, Turn } from './store.ts';

/** Returns the lane of this name; creates it when the name is new. */
export function laneOf(store: Store, name: string): Lane {
  const known = store.lanes.get(name);
  if (known !== undefined) return known;
  const lane: Lane = {
    name,
    runCount: 0,
    ready: createDeque(),
    returned: [],
    scheduled: [],
    ...{ turns: new Map(), behindCount: 0 },
    waiters: new Set(),
    cancelTimer: undefined,
  };
  store.lanes.set(name, lane);
  return lane;
}

/** Forgets a lane that has neither runs nor calls that wait for some. */
export function forgetEmpty(store: Store, lane: Lane): void {
  if (lane.runCount === 0 && lane.waiters.size === 0) store.lanes.delete(lane.name);
}

/** Returns the names of the lanes in which runs wait or are scheduled. */
export function namesOfWaiting({ lanes, keys }: Store): ReadonlySet<string> {
  const names = new Set<string>();
  for (const lane of lanes.values()) if (waitingIn(lane) + lane.scheduled.length > 0) names.add(lane.name);
  for (const { parkings } of keys.values())
    for (const { lane, parked } of parkings) if (parked.length > 0) names.add(lane.name);
  return names;
}

/** Puts a submitted run at the back of its lane, or behind the run that has the turn of its fairness key. */
export function enqueueBack(store: Store, entry: Entry): void {
  if (entry.run.fairnessKey === undefined || takeTurn(store, entry, entry.run.fairnessKey))
    toBack(store, entry);
}

function toBack(store: Store, entry: Entry): void {
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
    entry.run = movedRun(entry.run, { type: 'promote', at: now });
    enqueueBack(store, entry);
  }
}

/** Moves at most `limit` due runs from the schedule to the front of the lane, where the earliest due is the first. */
export function promoteFirst(store: Store, lane: Lane, { now, limit }: { now: number; limit: number }): void {
  const due: Entry[] = [];
  for (let [entry] = lane.scheduled; due.length < limit; [entry] = lane.scheduled) {
    if (entry === undefined || entry.rank > now) break;
    remove(lane.scheduled, entry);
    entry.run = movedRun(entry.run, { type: 'promote', at: now });
    due.push(entry);
  }
  for (const entry of due.reverse()) enqueueFront(store, entry);
}

/** Gives a run the turn of its fairness key, or puts it behind the one that has it. @returns whether it got the turn */
function takeTurn(store: Store, entry: Entry, key: string): boolean {
  const { lane } = entry;
  const turn = lane.turns.get(key);
  if (turn === undefined) {
    lane.turns.set(key, { holder: entry, behind: createDeque() });
    return true;
  }
  entry.location = 'behind';
  entry.order = ++store.backOrder;
  pushBack(turn.behind, entry);
  lane.behindCount++;
  return false;
}

/** Passes the turn of its fairness key on, if the run has it, to the first one behind, which comes to the back of the lane. */
function passTurn(store: Store, entry: Entry, key: string): void {
  const { lane } = entry;
  const turn = lane.turns.get(key);
  if (turn?.holder !== entry) return;
  const { first } = turn.behind;
  if (first === undefined) {
    lane.turns.delete(key);
    return;
  }
  leaveTurn(first, turn);
  turn.holder = first;
  toBack(store, first);
}

function leaveTurn(entry: Entry, turn: Turn | undefined): void {
  if (turn === undefined) return;
  unlink(turn.behind, entry);
  entry.lane.behindCount--;
}

/** Returns how many runs a claim finds in the lane, those behind turns included: it passes the turns on. */
export function waitingIn({ ready, returned, behindCount }: Lane): number {
  return ready.size + returned.length + behindCount;
}

/** Yields every run of a lane that is behind a turn, key by key. */
export function* behindIn({ turns }: Lane): Generator<Entry> {
  for (const { behind } of turns.values()) yield* walk(behind);
}

/** Yields every submitted run, in any order. */
export function* submittedEntries({ lanes, keys }: Pick<Store, 'lanes' | 'keys'>): Generator<Entry> {
  for (const lane of lanes.values()) {
    yield* walk(lane.ready);
    yield* lane.returned;
    yield* behindIn(lane);
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

/** Removes a run from the lane or its schedule; if it has the turn of its fairness key, that is passed on. */
export function takeOut(store: Store, entry: Entry): void {
  const { lane, location } = entry;
  const { fairnessKey } = entry.run;
  entry.location = 'none';
  if (location === 'ready') unlink(lane.ready, entry);
  if (location === 'ready' && fairnessKey !== undefined) passTurn(store, entry, fairnessKey);
  if (location === 'behind') leaveTurn(entry, lane.turns.get(fairnessKey ?? ''));
  if (location === 'returned') remove(lane.returned, entry);
  if (location === 'scheduled') remove(lane.scheduled, entry);
}
