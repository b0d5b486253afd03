import type { Clock } from '@retry/core';
import type { Execution } from '../../run/execution.ts';
import { groupToIsolate } from './groups.ts';
import { Isolation, MAX_LEASES_ALONE } from './isolation.ts';

interface IsolationsOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** How many runs the worker may have claimed at the same time. */
  readonly capacity: number;
  /** Called when a group may have to be started, or the worker may claim again. */
  readonly onDue: () => void;
}

/** The groups that a worker isolates, one at a time. */
export class Isolations {
  readonly #options: IsolationsOptions;
  #current: Isolation | undefined;
  /** Until then nothing is isolated, because the latest isolation took too long. */
  #noneUntil = -Infinity;

  constructor(options: IsolationsOptions) {
    this.#options = options;
  }

  /** Whether a group is isolated: until that is over nothing else is claimed. */
  get isActive(): boolean {
    return this.#current !== undefined;
  }

  /** Isolates those of these executions that have to be. @returns the group; `undefined` when there is none */
  begin(executions: readonly Execution[]): readonly Execution[] | undefined {
    const { clock, capacity } = this.#options;
    const group = clock.now() >= this.#noneUntil ? groupToIsolate(executions, capacity) : undefined;
    if (group !== undefined) this.#current = new Isolation(group, this.#options);
    return group;
  }

  /** Ends an isolation that has taken too long. */
  endOverdue(): void {
    if (this.#current?.isOverdue !== true) return;
    const { clock, leaseMs } = this.#options;
    this.#noneUntil = clock.now() + MAX_LEASES_ALONE * leaseMs;
    this.#current = undefined;
  }

  /**
   * Returns the group that is to be started now; `undefined` when there is none.
   *
   * @param isAlone - no handler of the worker is running
   */
  open({ isAlone }: { readonly isAlone: boolean }): readonly Execution[] | undefined {
    return this.#current?.mayOpen(isAlone) === true ? this.#current.open() : undefined;
  }

  /** Notes that one of the worker's executions has ended. */
  leave(execution: Execution): void {
    this.#current?.leave(execution);
    this.endOverdue();
    if (this.#current?.isOver === true) this.#current = undefined;
  }
}
