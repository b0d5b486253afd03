import type { AnyTask } from '../task/task.ts';

/** How many runs may be claimed now. */
export interface Room {
  readonly limit: number;
  /** By lane; lanes without room are left out. */
  readonly lanes: ReadonlyMap<string, number>;
}

/** What takes a slot: a run whose handler is running, or one that was claimed in advance and waits for its turn. */
export type SlotUse = 'running' | 'prefetched';

interface Limits {
  readonly concurrency: number;
  /** How many runs may be claimed in advance now. */
  readonly prefetch: () => number;
}

/** The slots of one worker: `concurrency` in all, `maxConcurrent` and `rateLimit` per task. */
export class Slots {
  readonly #tasks: readonly AnyTask[];
  readonly #limits: Limits;
  readonly #windows = new Map<string, StartWindow>();
  readonly #used: Readonly<Record<SlotUse, Map<string, number>>> = {
    running: new Map(),
    prefetched: new Map(),
  };
  readonly #total: Record<SlotUse, number> = { running: 0, prefetched: 0 };
  /** Room for the runs that pending claims may return. */
  readonly #reserved = new Set<Room>();

  constructor(tasks: Iterable<AnyTask>, limits: Limits) {
    this.#tasks = [...tasks];
    this.#limits = limits;
    for (const { lane, rateLimit } of this.#tasks) {
      if (rateLimit !== undefined) this.#windows.set(lane, new StartWindow(rateLimit));
    }
  }

  /** Whether another handler may be started. */
  get isFree(): boolean {
    return this.#total.running < this.#limits.concurrency;
  }

  /** How many handlers are running. */
  get running(): number {
    return this.#total.running;
  }

  /** Takes a slot of the task. */
  take({ lane }: AnyTask, use: SlotUse): void {
    this.#count(lane, use, 1);
  }

  /** Frees a slot of the task. */
  free({ lane }: AnyTask, use: SlotUse): void {
    this.#count(lane, use, -1);
  }

  /** Whether the rate limit of the task is reached. */
  isRateLimited({ lane }: AnyTask, now: number): boolean {
    return (this.#windows.get(lane)?.room(now) ?? 1) <= 0;
  }

  /** Reserves room for the runs that a claim may return. @returns frees it */
  reserve(room: Room): () => void {
    this.#reserved.add(room);
    return () => void this.#reserved.delete(room);
  }

  /** Counts a start of the task. @returns `false`, without counting it, when the task's rate limit is reached */
  start({ lane }: AnyTask, now: number): boolean {
    return this.#windows.get(lane)?.start(now) ?? true;
  }

  /** Returns the room for another claim, in all and per lane; `undefined` when there is none. */
  room(now: number): Room | undefined {
    const limit = this.#left();
    const lanes = new Map<string, number>();
    for (const task of this.#tasks) {
      const room = Math.min(limit, this.#roomOf(task, now));
      if (room > 0) lanes.set(task.lane, room);
    }
    return lanes.size === 0 ? undefined : { limit, lanes };
  }

  /** Milliseconds until a reached rate limit allows another start; `Infinity` when none is reached. */
  opensIn(now: number): number {
    return [...this.#windows.values()].reduce(
      (least, window) => Math.min(least, window.opensIn(now)),
      Infinity,
    );
  }

  #left(): number {
    const { concurrency, prefetch } = this.#limits;
    let left = concurrency + prefetch() - this.#total.running - this.#total.prefetched;
    for (const { limit } of this.#reserved) left -= limit;
    return left;
  }

  #roomOf({ lane, maxConcurrent, whenFull }: AnyTask, now: number): number {
    // With 'retry' and 'end', runs over the limit are claimed in order to be settled.
    const window = whenFull === 'wait' ? this.#windows.get(lane) : undefined;
    let waiting = this.#used.prefetched.get(lane) ?? 0;
    for (const { limit, lanes } of this.#reserved) waiting += Math.min(limit, lanes.get(lane) ?? 0);
    const running = this.#used.running.get(lane) ?? 0;
    return Math.min(maxConcurrent - running, window?.room(now) ?? Infinity) - waiting;
  }

  #count(lane: string, use: SlotUse, change: number): void {
    this.#total[use] += change;
    this.#used[use].set(lane, (this.#used[use].get(lane) ?? 0) + change);
  }
}

/** How many expired starts are removed together: removing them one by one would move all the others each time. */
const REMOVED_TOGETHER = 1_000;

/** A rate limit over a sliding window of starts. */
export class StartWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #starts: number[] = [];
  /** The index in `#starts` at which the window begins. */
  #first = 0;

  constructor({ limit, windowMs }: { readonly limit: number; readonly windowMs: number }) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Counts a start. @returns `false`, without counting it, when the limit is reached */
  start(now: number): boolean {
    if (this.room(now) <= 0) return false;
    this.#starts.push(now);
    return true;
  }

  /** How many more may start now. */
  room(now: number): number {
    // A start that is exactly one window old no longer counts.
    while ((this.#starts[this.#first] ?? Infinity) <= now - this.#windowMs) this.#first += 1;
    if (this.#first >= REMOVED_TOGETHER) {
      this.#starts.splice(0, this.#first);
      this.#first = 0;
    }
    return this.#limit - (this.#starts.length - this.#first);
  }

  /** Milliseconds until there is room again; `Infinity` when there is room, or never will be. */
  opensIn(now: number): number {
    const room = this.room(now);
    const oldest = this.#starts[this.#first];
    return room > 0 || oldest === undefined ? Infinity : Math.max(oldest + this.#windowMs - now, 0);
  }
}
