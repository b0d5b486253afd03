import type { Concurrency } from '@retry/core/broker';
import { push, remove } from './heap.ts';
import { returnToLane, takeOut } from './lanes.ts';
import type { Entry, Key, Lane, Parking, Store } from './store.ts';

/** Returns how many slots of a key are taken. */
export function slotsTakenOf({ keys }: Pick<Store, 'keys'>, key: string): number {
  return keys.get(key)?.slotsTaken ?? 0;
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

/** Takes a slot of the run's lane, beside the one of its own key. */
export function takeLaneSlot(store: Store, entry: Entry): void {
  keyOf(store, entry.lane.name).slotsTaken++;
  entry.hasLaneSlot = true;
}

/** Frees the slot of the run, if it has one; a parked run may return to its lane. */
export function freeSlot(store: Store, entry: Entry): void {
  const { concurrency } = entry.run;
  if (!entry.hasSlot || concurrency === undefined) return;
  entry.hasSlot = false;
  keyOf(store, concurrency.key).slotsTaken--;
  refill(store, concurrency.key);
}

/** Frees the slot of its lane, if the run has one beside that of its own key: only started runs have. */
export function freeLaneSlot(store: Store, entry: Entry): void {
  if (!entry.hasLaneSlot) return;
  entry.hasLaneSlot = false;
  keyOf(store, entry.lane.name).slotsTaken--;
  refill(store, entry.lane.name);
}

/** Whether a run keeps its slot while it waits to start again. */
export function keepsSlot({ hasSlot, run }: Entry): boolean {
  return hasSlot && run.concurrency?.holdWhileRetrying === true;
}

/** Puts the next run of a lane aside, as this key is full; also those that were returned to the lane too early. */
export function park(store: Store, entry: Entry, { key, limit }: Pick<Concurrency, 'key' | 'limit'>): void {
  const parking = parkingOf(store, key, { lane: entry.lane, limit });
  putAside(parking, entry);
  for (const offered of parking.offered) {
    takeOut(store, offered);
    putAside(parking, offered);
  }
  parking.offered.clear();
}

/** Must be called when a run is taken out of its lane, or of those that are parked. @returns where it was put aside, if it was */
export function leaveParking(entry: Entry): Parking | undefined {
  const { parking } = entry;
  entry.parking = undefined;
  parking?.offered.delete(entry);
  return parking;
}

/** Removes a run from the parked ones, or passes the turn on of one that was returned to its lane and taken out of that. */
export function unpark(store: Store, entry: Entry): void {
  const parking = leaveParking(entry);
  if (parking === undefined) return;
  if (entry.location === 'parked') remove(parking.parked, entry);
  entry.location = 'none';
  refill(store, parking.key);
  // While it waited for its lane, it had the turn of its own key.
  const { key = parking.key } = entry.run.concurrency ?? {};
  if (key !== parking.key) refill(store, key);
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

function putAside(parking: Parking, entry: Entry): void {
  entry.location = 'parked';
  entry.parking = parking;
  entry.rank = 0;
  push(parking.parked, entry);
}

function keyOf(store: Store, name: string): Key {
  const known = store.keys.get(name);
  if (known !== undefined) return known;
  const key: Key = { slotsTaken: 0, parkings: new Set() };
  store.keys.set(name, key);
  return key;
}

function parkingOf(store: Store, key: string, { lane, limit }: Pick<Parking, 'lane' | 'limit'>): Parking {
  const { parkings } = keyOf(store, key);
  for (const parking of parkings) if (parking.lane === lane && parking.limit === limit) return parking;
  const parking: Parking = { key, lane, limit, parked: [], offered: new Set() };
  parkings.add(parking);
  return parking;
}
