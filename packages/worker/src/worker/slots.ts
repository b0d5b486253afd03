import type { AnyTask } from '../task/task.ts';
import { StartWindow } from './start-window.ts';

/** How much may start now. */
export interface Room {
  readonly limit: number;
  /** Per lane; lanes without room are left out. */
  readonly lanes: ReadonlyMap<string, number>;
}

/** Slots of one worker: `concurrency` in all, `maxConcurrent` and `rateLimit` per task. */
export class Slots {
  readonly #tasks: readonly AnyTask[];
  readonly #concurrency: number;
  readonly #running = new Map<string, number>();
  readonly #windows = new Map<string, StartWindow>();
  #total = 0;

  constructor(tasks: Iterable<AnyTask>, concurrency: number) {
    this.#tasks = [...tasks];
    this.#concurrency = concurrency;
    for (const { lane, rateLimit } of this.#tasks) {
      if (rateLimit !== undefined) this.#windows.set(lane, new StartWindow(rateLimit));
    }
  }

  /** Takes a slot of the task. */
  take({ lane }: AnyTask): void {
    this.#total += 1;
    this.#running.set(lane, (this.#running.get(lane) ?? 0) + 1);
  }

  /** Counts a start of the task; gives false, and counts none, when its rate limit is reached. */
  start({ lane }: AnyTask, now: number): boolean {
    return this.#windows.get(lane)?.start(now) ?? true;
  }

  free({ lane }: AnyTask): void {
    this.#total -= 1;
    this.#running.set(lane, (this.#running.get(lane) ?? 1) - 1);
  }

  /** Room in all and per lane; `undefined` when there is none at all. */
  room(now: number): Room | undefined {
    const lanes = new Map<string, number>();
    for (const task of this.#tasks) {
      const room = this.#roomOf(task, now);
      if (room > 0) lanes.set(task.lane, room);
    }
    return lanes.size === 0 ? undefined : { limit: this.#concurrency - this.#total, lanes };
  }

  /** Milliseconds until a rate limit opens again; `Infinity` when none is shut. */
  opensIn(now: number): number {
    return [...this.#windows.values()].reduce(
      (least, window) => Math.min(least, window.opensIn(now)),
      Infinity,
    );
  }

  #roomOf({ lane, maxConcurrent, whenLimited }: AnyTask, now: number): number {
    // Where a reached limit means "retry" or "end", its runs are claimed to be settled so.
    const window = whenLimited === 'wait' ? this.#windows.get(lane) : undefined;
    const free = Math.min(this.#concurrency - this.#total, maxConcurrent - (this.#running.get(lane) ?? 0));
    return Math.min(free, window?.room(now) ?? Infinity);
  }
}
