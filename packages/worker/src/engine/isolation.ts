import type { Clock } from '@retry/core';
import type { Execution } from '../run/execution.ts';
import { companyLimit } from './stalled-together.ts';

/**
 * A group has its worker to itself for this number of leases at most: a handler that takes long, or never ends, must not stop all
 * other work, and for as many leases after that nothing is isolated. What ends its process mostly does so soon; what does it
 * later is found all the same, in larger company.
 */
export const MAX_LEASES_ALONE = 4;

interface IsolationOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Called when a wait of the isolation is over. */
  readonly onDue: () => void;
}

/**
 * Those of the executions that have to run as a small group of their own, because they stalled along with others: the
 * smallest limit among them rules. `undefined` when none has to, as no more than `capacity` can run together anyway.
 */
export function groupToIsolate(
  executions: readonly Execution[],
  capacity: number,
): readonly Execution[] | undefined {
  const suspects = executions
    .map((execution) => ({ execution, limit: companyLimit(execution.run) }))
    .filter(({ limit }) => limit < capacity)
    .sort((a, b) => a.limit - b.limit);
  const [first] = suspects;
  return first && suspects.slice(0, first.limit).map(({ execution }) => execution);
}

/**
 * A small group of claimed runs that run alone, as each of them may end the process.
 *
 * 1. *waiting*: the worker claims no more, has given back whatever else it had not started, and its running handlers end.
 * 2. *open*, when the broker has answered all that and no handler runs, or a lease has passed: the group runs.
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

  get isOver(): boolean {
    return this.#group.size === 0 || this.#isOverdue;
  }

  /** It is over although the group still runs. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  /** Whether the group is still to be started, and may be now. */
  mayOpen(isAlone: boolean): boolean {
    return !this.#isOpen && (isAlone || this.#hasWaited);
  }

  /** The group, which is to be started now. */
  open(): readonly Execution[] {
    this.#isOpen = true;
    this.#cancelTimer();
    this.#cancelTimer = this.#after(MAX_LEASES_ALONE * this.#options.leaseMs, () => {
      this.#isOverdue = true;
    });
    return [...this.#group];
  }

  /** One of the worker's executions has ended. */
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
