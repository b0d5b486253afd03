import type { AnyTask } from '../task/task.ts';
import { StartWindow } from './start-window.ts';

/** How much may be claimed now. */
export interface Room {
  readonly limit: number;
  /** Per lane; lanes without room are left out. */
  readonly lanes: ReadonlyMap<string, number>;
}

/** What a slot is taken by: a run that goes on, or one that was claimed and waits for its turn. */
export type SlotUse = 'running' | 'held';

interface Limits {
  readonly concurrency: number;
  /** How many runs may be claimed beyond those that can go on. */
  readonly ahead: () => number;
}

/** Slots of one worker: `concurrency` in all, `maxConcurrent` and `rateLimit` per task. */
export class Slots {
  readonly #tasks: readonly AnyTask[];
  readonly #limits: Limits;
  readonly #windows = new Map<string, StartWindow>();
  readonly #used: Readonly<Record<SlotUse, Map<string, number>>> = { running: new Map(), held: new Map() };
  readonly #total: Record<SlotUse, number> = { running: 0, held: 0 };
  /** What claims that are on their way may bring. */
  readonly #reserved = new Set<Room>();

  constructor(tasks: Iterable<AnyTask>, limits: Limits) {
    this.#tasks = [...tasks];
    this.#limits = limits;
    for (const { lane, rateLimit } of this.#tasks) {
      if (rateLimit !== undefined) this.#windows.set(lane, new StartWindow(rateLimit));
    }
  }

  /** Whether another run may go on. */
  get isFree(): boolean {
    return this.#total.running < this.#limits.concurrency;
  }

  /** How many runs go on. */
  get running(): number {
    return this.#total.running;
  }

  /** Takes a slot of the task. */
  take({ lane }: AnyTask, use: SlotUse): void {
    this.#count(lane, use, 1);
  }

  free({ lane }: AnyTask, use: SlotUse): void {
    this.#count(lane, use, -1);
  }

  /** Whether the rate limit of the task is reached. */
  isRateLimited({ lane }: AnyTask, now: number): boolean {
    return (this.#windows.get(lane)?.room(now) ?? 1) <= 0;
  }

  /** Keeps room for what a claim may bring; gives a function that frees it. */
  reserve(room: Room): () => void {
    this.#reserved.add(room);
    return () => void this.#reserved.delete(room);
  }

  /** Counts a start of the task; gives false, and counts none, when its rate limit is reached. */
  start({ lane }: AnyTask, now: number): boolean {
    return this.#windows.get(lane)?.start(now) ?? true;
  }

  /** Room for another claim, in all and per lane; `undefined` when there is none at all. */
  room(now: number): Room | undefined {
    const limit = this.#left();
    const lanes = new Map<string, number>();
    for (const task of this.#tasks) {
      const room = Math.min(limit, this.#roomOf(task, now));
      if (room > 0) lanes.set(task.lane, room);
    }
    return lanes.size === 0 ? undefined : { limit, lanes };
  }

  /** Milliseconds until a rate limit opens again; `Infinity` when none is shut. */
  opensIn(now: number): number {
    return [...this.#windows.values()].reduce(
      (least, window) => Math.min(least, window.opensIn(now)),
      Infinity,
    );
  }

  #left(): number {
    const { concurrency, ahead } = this.#limits;
    let left = concurrency + ahead() - this.#total.running - this.#total.held;
    for (const { limit } of this.#reserved) left -= limit;
    return left;
  }

  #roomOf({ lane, maxConcurrent, whenFull }: AnyTask, now: number): number {
    // Where a reached limit means "retry" or "end", its runs are claimed to be settled so.
    const window = whenFull === 'wait' ? this.#windows.get(lane) : undefined;
    let waiting = this.#used.held.get(lane) ?? 0;
    for (const { limit, lanes } of this.#reserved) waiting += Math.min(limit, lanes.get(lane) ?? 0);
    const running = this.#used.running.get(lane) ?? 0;
    return Math.min(maxConcurrent - running, window?.room(now) ?? Infinity) - waiting;
  }

  #count(lane: string, use: SlotUse, change: number): void {
    this.#total[use] += change;
    this.#used[use].set(lane, (this.#used[use].get(lane) ?? 0) + change);
  }
}
