import type { Clock } from '@retry/core';
import type { WorkerState } from './plan/worker-state.ts';

/** Interrupts the wait of a loop. A notification between two waits ends the next one immediately. */
export class WakeSignal {
  #isNotified = false;
  #interrupt: (() => void) | undefined;

  /** Ends the current wait, or the next one. */
  notify(): void {
    if (this.#interrupt === undefined) this.#isNotified = true;
    else this.#interrupt();
  }

  /** Waits as `wait` does; its signal aborts at the next notification. */
  async during(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!this.#isNotified) {
      const controller = new AbortController();
      this.#interrupt = () => controller.abort('notified'); // without a reason it would create an error with a stack
      await wait(controller.signal);
      this.#interrupt = undefined;
    }
    this.#isNotified = false;
  }

  /** Waits for the next notification, at most `delayMs` (`Infinity`: without a timer). Needs no signal, which is expensive. */
  async sleep(clock: Clock, delayMs: number): Promise<void> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const cancel = delayMs < Infinity ? clock.setTimer(resolve, delayMs) : undefined;
        this.#interrupt = () => {
          cancel?.();
          resolve();
        };
      });
      this.#interrupt = undefined;
    }
    this.#isNotified = false;
  }
}

/**
 * Lets the answers of outstanding exchanges take effect one after another. A server answers requests together that reached it
 * together. If their answers took effect together, too, the next two requests would leave together again: the broker would be idle
 * while the worker works, and the worker while the broker does. So the first answer takes effect, what it leads to is sent, and
 * then comes the next one.
 */
export class AnswerTurns {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  /** Whether an answer waits for its turn. */
  get areAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Takes the turn if it is free. Otherwise `next` has to be awaited. */
  take(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  /** Resolves when the turn of this answer has come. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Ends the present turn if no other answer waits for it: what it led to has been seen. */
  end(): void {
    if (this.#waiting.length === 0) this.#isTaken = false;
  }

  /** Gives the turn to the answer that waits first. @returns whether there is one */
  pass(): boolean {
    const next = this.#waiting.shift();
    this.#isTaken = next !== undefined;
    next?.();
    return this.#isTaken;
  }
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const OVER = Promise.resolve();

/** Further runs may end in this turn as long as there are some, or an answer that may bring some. */
type MayMoreEnd = Readonly<Pick<WorkerState, 'leased' | 'exchanges'>>;

/**
 * The rest of a turn of the event loop, in which further runs may end. It is over at once when none can: a worker that runs one thing at
 * a time would spend several microseconds of each run on waiting.
 */
export class RestOfTurn {
  readonly #state: MayMoreEnd;
  #end: (() => void) | undefined;

  constructor(state: MayMoreEnd) {
    this.#state = state;
  }

  /** Resolves in the next turn, or as soon as no other run can end. */
  pass(): Promise<void> {
    if (this.#state.leased === 0 && this.#state.exchanges === 0) return OVER;
    return new Promise((resolve) => {
      const next = setImmediate(resolve);
      this.#end = () => {
        clearImmediate(next);
        resolve();
      };
    });
  }

  /** Notes that a run has ended. */
  noteEnd(): void {
    if (this.#end === undefined || this.#state.leased > 0 || this.#state.exchanges > 0) return;
    this.#end();
    this.#end = undefined;
  }
}
