import type { Concurrency, LaneConcurrency } from '@retry/core/broker';
import { push, remove } from './heap.ts';
import { returnToLane, takeOut } from './lanes.ts';
import type { Entry, Key, Lane, Parking, Store } from './store.ts';

/** Returns whether no further run of the key may start. */
export function isFull(store: Store, { key, limit }: Concurrency): boolean {
  return (store.keys.get(key)?.slotsTaken ?? 0) >= limit;
}

/** Gives a waiting run the limit that its task has in the claiming worker, unless it has a key of its own. */
export function limitByTask(entry: Entry, { limit, whenFull }: LaneConcurrency): void {
  const { run, lane } = entry;
  const { key, limit: before, whenFull: whenFullBefore } = run.concurrency ?? { key: lane.name };
  if (key !== lane.name || (before === limit && whenFullBefore === whenFull)) return;
  entry.run = { ...run, concurrency: { ...run.concurrency, key, limit, whenFull } };
}

/** Returns parked runs to the lane that were put aside at a lower limit of its task, as many as may start now. */
export function returnBelow(store: Store, lane: Lane, limit: number): void {
  const key = store.keys.get(lane.name);
  if (key === undefined) return;
  for (const parking of key.parkings) {
    if (parking.lane === lane && parking.limit < limit) offer(store, parking, limit - key.slotsTaken);
  }
}

/** Takes a slot of the run's key. */
export function takeSlot(store: Store, entry: Entry, { key }: Concurrency): void {
  keyOf(store, key).slotsTaken++;
  entry.hasSlot = true;
}

/** Frees the slot of the run, if it has one; a parked run may return to its lane. */
export function freeSlot(store: Store, entry: Entry): void {
  const { concurrency } = entry.run;
  if (!entry.hasSlot || concurrency === undefined) return;
  entry.hasSlot = false;
  keyOf(store, concurrency.key).slotsTaken--;
  refill(store, concurrency.key);
}

/** Whether a run keeps its slot while it waits to start again. */
export function keepsSlot({ hasSlot, run }: Entry): boolean {
  return hasSlot && run.concurrency?.holdWhileRetrying === true;
}

/** Puts the next run of a lane aside, as its key is full; also those that were returned to the lane too early. */
export function park(store: Store, entry: Entry, { key, limit }: Concurrency): void {
  const parking = parkingOf(keyOf(store, key), entry.lane, limit);
  putAside(parking, entry);
  for (const offered of parking.offered) {
    takeOut(offered);
    putAside(parking, offered);
  }
  parking.offered.clear();
}

/** Removes a run from the parked ones. */
export function unpark(store: Store, entry: Entry, { key, limit }: Concurrency): void {
  entry.location = 'none';
  remove(parkingOf(keyOf(store, key), entry.lane, limit).parked, entry);
  refill(store, key);
}

/** Must be called when a returned run is taken out of its lane, before its slot is taken or the key is refilled. */
export function takeOffer(store: Store, entry: Entry, { key, limit }: Concurrency): void {
  parkingOf(keyOf(store, key), entry.lane, limit).offered.delete(entry);
}

/** Returns as many parked runs to their lanes as the key has free slots; forgets a key that is not in use. */
export function refill(store: Store, name: string): void {
  const key = keyOf(store, name);
  for (const parking of key.parkings) {
    const { limit, offered, parked } = parking;
    offer(store, parking, limit - key.slotsTaken);
    if (parked.length === 0 && offered.size === 0) key.parkings.delete(parking);
  }
  if (key.slotsTaken === 0 && key.parkings.size === 0) store.keys.delete(name);
}

/** Returns parked runs to their lane until `count` are offered there. */
function offer(store: Store, { offered, parked }: Parking, count: number): void {
  for (let top = parked[0]; top !== undefined && offered.size < count; top = parked[0]) {
    remove(parked, top);
    offered.add(top);
    returnToLane(store, top);
  }
}

function putAside({ parked }: Parking, entry: Entry): void {
  entry.location = 'parked';
  entry.rank = 0;
  push(parked, entry);
}

function keyOf(store: Store, name: string): Key {
  const known = store.keys.get(name);
  if (known !== undefined) return known;
  const key: Key = { slotsTaken: 0, parkings: new Set() };
  store.keys.set(name, key);
  return key;
}

function parkingOf({ parkings }: Key, lane: Lane, limit: number): Parking {
  for (const parking of parkings) if (parking.lane === lane && parking.limit === limit) return parking;
  const parking: Parking = { lane, limit, parked: [], offered: new Set() };
  parkings.add(parking);
  return parking;
}
