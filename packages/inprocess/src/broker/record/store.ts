import type { Clock } from '@retry/core';
import type { Note, Run } from '@retry/core/broker';
import type { KeptGroup, KeyHolder, Replies, RetentionSettings, StartCounts } from '@retry/core/broker/kit';
import type { CancelTimer } from '@retry/core/clock';
import { wallAheadMs, wallNowOf } from '@retry/core/clock';
import type { Deque, Linked } from './deque.ts';
import { createDeque } from './deque.ts';
import type { Heap, Ranked } from './heap.ts';
import { SortedNotes } from './sorted-notes.ts';

/** Which list a run is in. */
type Location =
  /** The run is in no list, while it is being moved. */
  | 'none'
  /** The run is in the ready list of its lane. */
  | 'ready'
  /** Back in its lane after it was parked. */
  | 'returned'
  /** Behind the turn of its fairness key. */
  | 'behind'
  /** Put aside until its concurrency key has a free slot. */
  | 'parked'
  | 'scheduled'
  /** Started. */
  | 'leased'
  /** Ended, and a caller waits for its result. */
  | 'awaited'
  | 'ended';

/**
 * A run and its location. Its rank in a heap is the instant that it waits for there: `runAt` in the schedule, the end
 * of its lease, or the end of the time that its result is kept for a caller.
 */
export interface Entry extends Linked<Entry>, Ranked {
  /** Replaced, never changed: runs that were returned to callers stay as they were. */
  run: Run;
  readonly lane: Lane;
  location: Location;
  /** Whether it takes a slot of its concurrency key: it is started, or keeps the slot while it waits to start again. */
  hasSlot: boolean;
  /** Whether it also takes a slot of its lane, as a started run with a key of its own does where the claim limits the lane. */
  hasLaneSlot: boolean;
  /** Where it is put aside, or was until it was returned to its lane. */
  parking: Parking | undefined;
  /** Whether its id is an idempotency key of the caller: it is remembered longer than the run. */
  isKeyed: boolean;
  /** How long after its end its result is kept for a caller; `undefined` when none waits for it. */
  keepResultMs: number | undefined;
  /** The run that was read last to be changed, and what it is recognised by: the number of that reading. */
  readRun: Run | undefined;
  reading: number;
}

/** The waiting runs of one lane, and the calls that wait for them. It is kept while there is a run of the lane or a call that waits. */
export interface Lane {
  readonly name: string;
  /** How many runs of the lane are kept, in any state. */
  runCount: number;
  readonly ready: Deque<Entry>;
  /** Parked runs whose concurrency key has a free slot again, in their old order: most were before those in `ready`. */
  readonly returned: Heap<Entry>;
  /** The runs that wait in the schedule, by `runAt`. */
  readonly scheduled: Heap<Entry>;
  /** The turns by fairness key, of each key that has a run by turn in `ready`. */
  readonly turns: Map<string, Turn>;
  /** How many runs are behind all the turns. */
  behindCount: number;
  readonly waiters: Set<() => void>;
  /** Cancels the timer of the next due run, or of the end of a hold; it is set only while a call waits. */
  cancelTimer: CancelTimer | undefined;
}

/** The run of a fairness key that came to its lane by turn, and those that have to wait for the turn. */
export interface Turn {
  holder: Entry;
  /** The runs that wait for the next turn of their key, in the order in which they came. */
  readonly behind: Deque<Entry>;
}

/** A concurrency key that is in use. */
export interface Key {
  slotsTaken: number;
  readonly parkings: Set<Parking>;
}

/**
 * Runs of one lane and one limit that found this key full: their own, or the lane. Each lane has its own, so that a lane without a
 * worker does not block the free slots for other lanes.
 */
export interface Parking {
  readonly key: string;
  readonly lane: Lane;
  readonly limit: number;
  /** The runs that wait for a slot of the key, in the order that they had in their lane. */
  readonly parked: Heap<Entry>;
  /** Returned to the lane and not claimed yet; they come before the parked ones. */
  readonly offered: Set<Entry>;
}

/** The settings of a memory broker. */
export interface Settings extends RetentionSettings {
  readonly clock: Clock;
  readonly keepBytes: number;
}

/** Everything that a memory broker keeps. Each run is in exactly one list; `audit` counts the lists. */
export interface Store extends Settings {
  readonly entries: Map<string, Entry>;
  readonly lanes: Map<string, Lane>;
  readonly keys: Map<string, Key>;
  /** The limits of starts, by key. Some may be over. */
  readonly startCounts: Map<string, StartCounts>;
  /** Started runs, by the end of their lease. */
  readonly leases: Heap<Entry>;
  /** Completed, cancelled, dropped and disposable runs, oldest first: retention removes them from the front. */
  readonly finished: Deque<Entry>;
  /** The runs of this list that have long texts, oldest first: retention deletes the texts of the first ones. */
  readonly long: Set<Entry>;
  /** How many bytes of long texts they have. */
  longBytes: number;
  /** The other failed, stalled and rate limited runs, oldest first: kept until they are redriven or discarded. */
  readonly deadLetters: Deque<Entry>;
  /** What the dead letters are counted under, by lane and id; none is empty. */
  readonly groups: Map<string, Map<string, KeptGroup>>;
  /** Ended runs whose result a caller waits for, by when it is no longer kept for the caller. */
  readonly awaited: Heap<Entry>;
  /** Idempotency keys of forgotten runs and until when they stay known, in the order in which they were forgotten. */
  readonly forgottenKeys: Map<string, number>;
  /** Which run has a unique key, or had it; those that have not been looked at for longest first. */
  readonly uniqueKeys: Map<string, KeyHolder>;
  /** Notes of holds, and all others, by their keys. Some may have expired. */
  readonly holds: Map<string, Note>;
  readonly notes: SortedNotes;
  /** The version of the latest note that was written. */
  noteVersion: number;
  /** The replies to the latest claims of each worker, by request. */
  readonly replies: Replies;
  /** Ends every call that waits for work. */
  readonly waits: Set<() => void>;
  /** Ends every call that waits for a result. */
  readonly resultWaits: Set<() => void>;
  /** How many runs were read to be changed. */
  readings: number;
  created: number;
  forgotten: number;
  /** The latest order at the back of a lane or a schedule, and at the front of a lane. */
  backOrder: number;
  frontOrder: number;
  /** The latest order of an ended run. */
  endOrder: number;
  /** How many milliseconds the wall clock was ahead of the monotonic one when it was followed last. */
  wallAheadMs: number;
}

/** Creates a store without runs. */
export function createStore(settings: Settings): Store {
  return {
    ...settings,
    entries: new Map(),
    lanes: new Map(),
    keys: new Map(),
    holds: new Map(),
    startCounts: new Map(),
    leases: [],
    finished: createDeque(),
    ...{ long: new Set(), longBytes: 0 },
    deadLetters: createDeque(),
    groups: new Map(),
    awaited: [],
    forgottenKeys: new Map(),
    uniqueKeys: new Map(),
    ...{ notes: new SortedNotes(), noteVersion: 0 },
    replies: new Map(),
    waits: new Set(),
    resultWaits: new Set(),
    readings: 0,
    created: 0,
    forgotten: 0,
    backOrder: 0,
    frontOrder: 0,
    endOrder: 0,
    wallAheadMs: wallAheadMs(settings.clock),
  };
}

/** Returns the clock of record in whole epoch milliseconds, rounded down, so that nothing is early. */
export function readNow({ clock }: Pick<Store, 'clock'>): number {
  return Math.floor(wallNowOf(clock));
}

/**
 * Must be called before leases are looked at: when the wall clock was set, or the computer slept, those who hold them have as much
 * time left as before.
 */
export function followWallClock(store: Store): void {
  const aheadMs = wallAheadMs(store.clock);
  const stepMs = aheadMs - store.wallAheadMs;
  if (stepMs === 0) return;
  store.wallAheadMs = aheadMs;
  // All of them move by the same, so that the order of a heap stays right.
  for (const entry of [...store.leases, ...store.awaited]) entry.rank += stepMs;
}

/** Creates an entry that is in no list yet. */
export function createEntry(run: Run, lane: Lane): Entry {
  return {
    run,
    lane,
    location: 'none',
    hasSlot: false,
    hasLaneSlot: false,
    parking: undefined,
    isKeyed: false,
    readRun: undefined,
    reading: 0,
    keepResultMs: undefined,
    rank: 0,
    order: 0,
    index: 0,
    previous: undefined,
    next: undefined,
  };
}

/** Returns what a run is recognised by until it is moved. A run is replaced, never changed: each has a number of its own. */
export function seenOf(store: Store, entry: Entry): string {
  // Not by a map of runs, whose weak keys make every collection of garbage longer.
  if (entry.readRun !== entry.run) {
    entry.readRun = entry.run;
    entry.reading = store.readings += 1;
  }
  return `${entry.reading}`;
}
