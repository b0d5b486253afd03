import type { Broker } from '@retry/core/broker';
import type { AnyTask } from '../../task/task.ts';
import type { SharedLimit } from './shared-limit.ts';

/** How many runs may be claimed now. */
export interface Room {
  readonly limit: number;
  /** How many runs of each lane; `Infinity` for one without a limit of its own. Lanes without room are left out. */
  readonly lanes: ReadonlyMap<string, number>;
}

/** What takes a slot: a run whose handler is running, or one that was claimed in advance and waits for its turn. */
type SlotUse = 'running' | 'prefetched';

/** The slots of a task that has limits of its own. */
interface Limited {
  readonly task: AnyTask;
  readonly used: Record<SlotUse, number>;
  /** The rate limit that lets its runs wait; with 'retry' and 'end', runs over the limit are claimed to be settled. */
  readonly window: StartWindow | undefined;
  /** The limit of starts that all workers share. */
  readonly shared: SharedLimit | undefined;
}

interface SlotsSettings {
  readonly concurrency: number;
  readonly broker?: Pick<Broker, 'facts'>;
}

/**
 * Returns whether a worker has only one claim under way. Of two, the later may be answered first: where runs are executed one at a
 * time, they would overtake each other.
 */
export function claimsOneByOne({ concurrency, broker }: SlotsSettings): boolean {
  return concurrency === 1 && broker?.facts?.submitsInOrder !== true;
}

/**
 * The slots of one worker: `concurrency` in all, `maxConcurrent` and rate limits per task. What is asked in each turn takes time
 * for the lanes whose room may have changed only: a worker may have thousands of tasks.
 */
export class Slots {
  /** How many slots are taken in all. */
  readonly taken: Record<SlotUse, number> = { running: 0, prefetched: 0 };
  /** The tasks with any limit of their own, by lane. */
  readonly limited: Map<string, Limited> = new Map();
  readonly #concurrency: number;
  readonly #isSerial: boolean;
  readonly #windows = new Map<string, StartWindow>();
  readonly #shared: ReadonlyMap<string, SharedLimit>;
  /** Room for the runs that pending claims may return; a list, for the reason of `Roster`. */
  #reserved: readonly Room[] = [];
  /** The room of all lanes that have some, kept up to date. */
  readonly #open = new Map<string, number>();
  /** The sum of what is in `#open`, without lanes that have no limit; they are counted. */
  #openSum = 0;
  #unlimited = 0;
  /** Limited lanes whose room may have changed. Those with a rate limit stay in it: their room changes with time. */
  readonly #changed = new Set<string>();

  /** @param shared - by lane: the limits of starts that all workers share */
  constructor(
    tasks: Iterable<AnyTask>,
    settings: SlotsSettings,
    shared: ReadonlyMap<string, SharedLimit> = new Map(),
  ) {
    this.#concurrency = settings.concurrency;
    this.#isSerial = claimsOneByOne(settings);
    this.#shared = shared;
    for (const task of tasks) this.#add(task);
  }

  /** The lanes of tasks with a rate limit. */
  get rateLimited(): Iterable<string> {
    return new Set([...this.#windows.keys(), ...this.#shared.keys()]);
  }

  /** Takes a slot of the task, or frees one. */
  count({ lane }: AnyTask, use: SlotUse, change: 1 | -1): void {
    this.taken[use] += change;
    const limited = this.limited.get(lane);
    if (limited === undefined) return;
    limited.used[use] += change;
    this.#changed.add(lane);
  }

  /** Why nothing of the lane may be started now, pending claims aside; `undefined` if something may. */
  obstacleOf(lane: string, now: number): 'rate-limit' | 'no-slot' | undefined {
    if (this.isRateLimited(lane, now)) return 'rate-limit';
    const limited = this.limited.get(lane);
    if (limited === undefined) return undefined;
    const { used, task } = limited;
    return used.running + used.prefetched >= task.maxConcurrent ? 'no-slot' : undefined;
  }

  /** Whether a rate limit of the lane's task is reached. */
  isRateLimited(lane: string, now: number): boolean {
    return (this.#windows.get(lane)?.room(now) ?? 1) <= 0 || this.#shared.get(lane)?.isFull === true;
  }

  /** Reserves room for the runs that a claim may return. */
  reserve(room: Room): void {
    this.#reserved = [...this.#reserved, room];
    if (this.limited.size > 0) this.#noteChanged(room.lanes);
  }

  /** Frees what was reserved. */
  release(room: Room): void {
    this.#reserved = this.#reserved.filter((reserved) => reserved !== room);
    if (this.limited.size > 0) this.#noteChanged(room.lanes);
  }

  /** Counts a start of the task. @returns `false`, without counting it, when the task's rate limit is reached */
  start({ lane }: AnyTask, now: number): boolean {
    return this.#windows.get(lane)?.start(now) ?? true;
  }

  /** Takes back a start of the task that was counted at this instant: the limit of all workers refused it. */
  takeBackStart({ lane }: AnyTask, at: number): void {
    this.#windows.get(lane)?.takeBack(at);
  }

  /**
   * Returns the room for another claim, in all and per lane; `undefined` when there is none. Its lanes change with the next
   * call.
   *
   * @param prefetch - how many runs may be claimed in advance now
   */
  room(now: number, prefetch: number): Room | undefined {
    let left = this.#concurrency + prefetch - this.taken.running - this.taken.prefetched;
    for (const { limit } of this.#reserved) left -= limit;
    if (left <= 0 || (this.#isSerial && this.#reserved.length > 0)) return undefined;
    if (this.#changed.size > 0) this.#update(now);
    if (this.#open.size === 0) return undefined;
    return { limit: this.#unlimited > 0 ? left : Math.min(left, this.#openSum), lanes: this.#open };
  }

  /** Milliseconds until a reached rate limit allows another start; `Infinity` when none is reached. */
  opensIn(now: number): number {
    let least = Infinity;
    for (const window of this.#windows.values()) least = Math.min(least, window.opensIn(now));
    for (const shared of this.#shared.values()) least = Math.min(least, shared.opensIn());
    return least;
  }

  #add(task: AnyTask): void {
    const { lane, maxConcurrent, rateLimit, whenFull } = task;
    const window = rateLimit && new StartWindow(rateLimit);
    if (window !== undefined) this.#windows.set(lane, window);
    const shared = this.#shared.get(lane);
    const isWindowOpen = window === undefined || whenFull !== 'wait';
    if (maxConcurrent === Infinity && isWindowOpen && shared === undefined) {
      this.#open.set(lane, Infinity);
      this.#unlimited += 1;
      return;
    }
    const waits = whenFull === 'wait' ? window : undefined;
    this.limited.set(lane, { task, used: { running: 0, prefetched: 0 }, window: waits, shared });
    this.#changed.add(lane);
  }

  #update(now: number): void {
    for (const lane of this.#changed) {
      const limited = this.limited.get(lane);
      if (limited === undefined) continue;
      if (limited.window === undefined && limited.shared === undefined) this.#changed.delete(lane);
      const room = this.#roomOf(limited, now);
      this.#openSum += Math.max(room, 0) - (this.#open.get(lane) ?? 0);
      if (room > 0) this.#open.set(lane, room);
      else this.#open.delete(lane);
    }
  }

  #roomOf({ task, used, window, shared }: Limited, now: number): number {
    const { lane, maxConcurrent } = task;
    let waiting = used.prefetched;
    for (const { limit, lanes } of this.#reserved) waiting += Math.min(limit, lanes.get(lane) ?? 0);
    const rate = Math.min(window?.room(now) ?? Infinity, shared?.room(task) ?? Infinity);
    return Math.min(maxConcurrent - used.running, rate) - waiting;
  }

  #noteChanged(lanes: Room['lanes']): void {
    for (const lane of lanes.keys()) if (this.limited.has(lane)) this.#changed.add(lane);
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

  /** Takes back a start that was counted at this instant. */
  takeBack(at: number): void {
    const index = this.#starts.lastIndexOf(at);
    if (index >= this.#first) this.#starts.splice(index, 1);
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
