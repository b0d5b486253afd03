import type { Concurrency } from '@retry/core/broker';
import type { Entry } from './entry.ts';
import type { Heap } from './heap.ts';
import { push, remove } from './heap.ts';
import type { Lane } from './lanes.ts';
import { giveBack, takeOut } from './lanes.ts';
import type { Store } from './store.ts';

/** A concurrency key that is in use. */
export interface Key {
  /** How many runs of it are started. */
  held: number;
  readonly parkings: Set<Parking>;
}

/**
 * Runs of one lane and one limit that found their key full. Each lane has its own, so that one that nobody works
 * on keeps no other lane's runs from a free key.
 */
interface Parking {
  readonly lane: Lane;
  readonly limit: number;
  /** In the order that they had in their lane. */
  readonly parked: Heap<Entry>;
  /** Those that the lane got back and has not handed out yet; they come before the parked ones. */
  readonly offered: Set<Entry>;
}

/** Whether no further run of the key may start. */
export function isFull(store: Store, { key, limit }: Concurrency): boolean {
  return (store.keys.get(key)?.held ?? 0) >= limit;
}

/** Takes one of the starts that the run's key allows. */
export function holdKey(store: Store, entry: Entry, { key }: Concurrency): void {
  keyOf(store, key).held++;
  entry.holdsKey = true;
}

/** Gives back the start that the run took, if it took one; a parked run may return to its lane. */
export function freeKey(store: Store, entry: Entry): void {
  const { concurrency } = entry.run;
  if (!entry.holdsKey || concurrency === undefined) return;
  entry.holdsKey = false;
  keyOf(store, concurrency.key).held--;
  refill(store, concurrency.key);
}

/** Puts a run that is next, and whose key is full, aside until the key is free; with it those offered too early. */
export function park(store: Store, entry: Entry, { key, limit }: Concurrency): void {
  const parking = parkingOf(keyOf(store, key), entry.lane, limit);
  putAside(parking, entry);
  for (const offered of parking.offered) {
    takeOut(offered);
    putAside(parking, offered);
  }
  parking.offered.clear();
}

/** Takes a run out of the parked ones. */
export function unpark(store: Store, entry: Entry, { key, limit }: Concurrency): void {
  entry.place = 'none';
  remove(parkingOf(keyOf(store, key), entry.lane, limit).parked, entry);
  refill(store, key);
}

/** To be told when a run that was returned to its lane is taken out of it, before its key is held or refilled. */
export function takeOffer(store: Store, entry: Entry, { key, limit }: Concurrency): void {
  parkingOf(keyOf(store, key), entry.lane, limit).offered.delete(entry);
}

/** Returns parked runs to their lanes, as many as the key now allows; forgets a key that is out of use. */
export function refill(store: Store, name: string): void {
  const key = keyOf(store, name);
  for (const parking of key.parkings) {
    const { limit, offered, parked } = parking;
    for (let top = parked[0]; top !== undefined && key.held + offered.size < limit; top = parked[0]) {
      remove(parked, top);
      offered.add(top);
      giveBack(top);
    }
    if (parked.length === 0 && offered.size === 0) key.parkings.delete(parking);
  }
  if (key.held === 0 && key.parkings.size === 0) store.keys.delete(name);
}

function putAside({ parked }: Parking, entry: Entry): void {
  entry.place = 'parked';
  entry.rank = 0;
  push(parked, entry);
}

function keyOf(store: Store, name: string): Key {
  const known = store.keys.get(name);
  if (known !== undefined) return known;
  const key: Key = { held: 0, parkings: new Set() };
  store.keys.set(name, key);
  return key;
}

function parkingOf({ parkings }: Key, lane: Lane, limit: number): Parking {
  for (const parking of parkings) if (parking.lane === lane && parking.limit === limit) return parking;
  const parking: Parking = { lane, limit, parked: [], offered: new Set() };
  parkings.add(parking);
  return parking;
}
