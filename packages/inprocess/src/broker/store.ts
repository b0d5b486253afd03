import type { Clock } from '@retry/core';
import type { ClaimedRun } from '@retry/core/broker';
import type { Key } from './concurrency-keys.ts';
import type { Deque } from './deque.ts';
import { createDeque } from './deque.ts';
import type { Entry } from './entry.ts';
import type { Heap } from './heap.ts';
import type { Lane } from './lanes.ts';

/** Everything a memory broker keeps. Each run stands in exactly one place: `audit` counts them there. */
export interface Store {
  readonly clock: Clock;
  /** How many runs that ended well, or as somebody wished, are kept. */
  readonly keepCompleted: number;
  /** How long a name that the caller gave to a run stays known after the run ended. */
  readonly keepKeysMs: number;
  readonly entries: Map<string, Entry>;
  readonly lanes: Map<string, Lane>;
  readonly keys: Map<string, Key>;
  /** Started runs by the end of their lease. */
  readonly leases: Heap<Entry>;
  /** Completed, cancelled, dropped and disposable runs, oldest first: retention takes them from the front. */
  readonly finished: Deque<Entry>;
  /** The other failed, stalled and rate limited runs, oldest first: kept until somebody redrives or discards them. */
  readonly deadLetters: Deque<Entry>;
  /** Ended runs whose result a caller waits for, by when it is no longer kept for them. */
  readonly awaited: Heap<Entry>;
  /** Names of forgotten runs and until when they stay known, in the order in which they were forgotten. */
  readonly keysOfForgotten: Map<string, number>;
  /** Workers that are alive, and until when. */
  readonly attendances: Map<string, { readonly lanes: readonly string[]; readonly until: number }>;
  /** What the latest claims of each worker got, by request. */
  readonly replies: Map<string, Map<string, readonly ClaimedRun[]>>;
  /** Ends every wait for work that is under way. */
  readonly waits: Set<() => void>;
  /** Ends every wait for a result. */
  readonly resultWaits: Set<() => void>;
  /** Called with the id of a started run that gets a cancel request. */
  readonly cancelListeners: Set<(id: string) => void>;
  created: number;
  forgotten: number;
  /** Orders given so far at the back of a lane or schedule, and at the front of a lane. */
  backOrder: number;
  frontOrder: number;
}

/** A store without runs. */
export function createStore({
  clock,
  keepCompleted,
  keepKeysMs,
}: Pick<Store, 'clock' | 'keepCompleted' | 'keepKeysMs'>): Store {
  return {
    clock,
    keepCompleted,
    keepKeysMs,
    entries: new Map(),
    lanes: new Map(),
    keys: new Map(),
    leases: [],
    finished: createDeque(),
    deadLetters: createDeque(),
    awaited: [],
    keysOfForgotten: new Map(),
    attendances: new Map(),
    replies: new Map(),
    waits: new Set(),
    resultWaits: new Set(),
    cancelListeners: new Set(),
    created: 0,
    forgotten: 0,
    backOrder: 0,
    frontOrder: 0,
  };
}

/** The clock of record, in whole epoch milliseconds: rounded down, so that nothing is early. */
export function readNow(store: Store): number {
  return Math.floor(store.clock.now());
}
