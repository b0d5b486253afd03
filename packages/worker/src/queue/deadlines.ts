import type { Clock } from '@retry/core';

/** What wants to be called when its time is over. */
export interface Timed {
  readonly onTimeout: () => void;
}

interface Line {
  /** By when each one's time is over: in that order, as all have the same time. */
  readonly dueAt: Map<Timed, number>;
  cancelTimer: () => void;
}

/** The timeouts of thousands that wait, with one timer for each length of time: a timer of one's own costs as much as the wait. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #lines = new Map<number, Line>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls it back after so long, `0 < timeoutMs < Infinity`, unless it was taken out before. */
  add(timeoutMs: number, timed: Timed): void {
    const line = this.#lines.get(timeoutMs) ?? this.#open(timeoutMs);
    line.dueAt.set(timed, this.#clock.now() + timeoutMs);
  }

  delete(timeoutMs: number, timed: Timed): void {
    const line = this.#lines.get(timeoutMs);
    if (line?.dueAt.delete(timed) !== true || line.dueAt.size > 0) return;
    line.cancelTimer();
    this.#lines.delete(timeoutMs);
  }

  #open(timeoutMs: number): Line {
    const line: Line = { dueAt: new Map(), cancelTimer: () => {} };
    this.#lines.set(timeoutMs, line);
    this.#arm(line, timeoutMs);
    return line;
  }

  #arm(line: Line, delayMs: number): void {
    line.cancelTimer = this.#clock.setTimer(() => {
      for (const [timed, dueAt] of line.dueAt) {
        const leftMs = dueAt - this.#clock.now();
        if (leftMs > 0) return this.#arm(line, leftMs);
        timed.onTimeout();
      }
    }, delayMs);
  }
}
