import type { Clock } from '@retry/core';
import type { Execution } from '../../run/execution.ts';

/**
 * How long a group has its worker to itself at most, in leases: a handler that takes long, or never ends, must not block all
 * other work. For as many leases after that nothing is isolated. Most runs that end their process do so sooner; the others are
 * found in larger groups.
 */
export const MAX_LEASES_ALONE = 4;

interface IsolationOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Called when one of the isolation's timers has fired. */
  readonly onDue: () => void;
}

/**
 * A small group of claimed runs that run without others, because each of them may end the process.
 *
 * 1. *waiting*: the worker claims nothing, has given back everything else that it had not started, and its running handlers
 *    end.
 * 2. *open*, when all that is settled and no handler runs, or a lease has passed: the group runs.
 * 3. *over*, when the group has ended, or has been alone for 4 leases: the worker claims again.
 */
export class Isolation {
  readonly #group: Set<Execution>;
  readonly #options: IsolationOptions;
  #isOpen = false;
  #hasWaited = false;
  #isOverdue = false;
  #cancelTimer: () => void;

  constructor(group: readonly Execution[], options: IsolationOptions) {
    this.#group = new Set(group);
    this.#options = options;
    this.#cancelTimer = this.#after(options.leaseMs, () => {
      this.#hasWaited = true;
    });
  }

  /** Whether the group has ended, or has been alone for too long. */
  get isOver(): boolean {
    return this.#group.size === 0 || this.#isOverdue;
  }

  /** Whether it is over although the group still runs. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  /** Whether the group has not been started and may be now. */
  mayOpen(isAlone: boolean): boolean {
    return !this.#isOpen && (isAlone || this.#hasWaited);
  }

  /** Returns the group, which is to be started now. */
  open(): readonly Execution[] {
    this.#isOpen = true;
    this.#cancelTimer();
    this.#cancelTimer = this.#after(MAX_LEASES_ALONE * this.#options.leaseMs, () => {
      this.#isOverdue = true;
    });
    return [...this.#group];
  }

  /** Notes that one of the worker's executions has ended. */
  leave(execution: Execution): void {
    if (this.#group.delete(execution) && this.#group.size === 0) this.#cancelTimer();
  }

  #after(delayMs: number, then: () => void): () => void {
    const { clock, onDue } = this.#options;
    return clock.setTimer(() => {
      then();
      onDue();
    }, delayMs);
  }
}
