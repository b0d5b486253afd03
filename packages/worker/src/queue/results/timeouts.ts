import type { Clock } from '@retry/core';

/** Has a timeout. */
export interface Timed {
  readonly onTimeout: () => void;
}

interface SameTimeout {
  /** When each one times out; in ascending order, because all have the same timeout. */
  readonly dueAt: Map<Timed, number>;
  cancelTimer: () => void;
}

/** The timeouts of thousands of waits, with one timer per duration: a timer for each would cost as much as the wait itself. */
export class Timeouts {
  readonly #clock: Clock;
  readonly #byDuration = new Map<number, SameTimeout>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `onTimeout` after `timeoutMs`, `0 < timeoutMs < Infinity`, unless it is deleted before. */
  add(timeoutMs: number, timed: Timed): void {
    const group = this.#byDuration.get(timeoutMs) ?? this.#open(timeoutMs);
    group.dueAt.set(timed, this.#clock.now() + timeoutMs);
  }

  /** Cancels a timeout. */
  delete(timeoutMs: number, timed: Timed): void {
    const group = this.#byDuration.get(timeoutMs);
    if (group?.dueAt.delete(timed) !== true || group.dueAt.size > 0) return;
    group.cancelTimer();
    this.#byDuration.delete(timeoutMs);
  }

  #open(timeoutMs: number): SameTimeout {
    const group: SameTimeout = { dueAt: new Map(), cancelTimer: () => {} };
    this.#byDuration.set(timeoutMs, group);
    this.#arm(group, timeoutMs);
    return group;
  }

  #arm(group: SameTimeout, delayMs: number): void {
    group.cancelTimer = this.#clock.setTimer(() => {
      for (const [timed, dueAt] of group.dueAt) {
        const leftMs = dueAt - this.#clock.now();
        if (leftMs > 0) return this.#arm(group, leftMs);
        timed.onTimeout();
      }
    }, delayMs);
  }
}
