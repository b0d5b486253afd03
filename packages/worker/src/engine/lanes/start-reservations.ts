import { computeDelay } from '@retry/core';
import type { Reserved } from '@retry/core/broker';
import type { WorkerEmitter } from '../../events.ts';
import type { WorkerSettings } from '../../options.ts';
import type { Execution } from '../../run/execution.ts';
import { giveBackLane } from '../../run/give-back.ts';
import { LIMITED } from '../../settle/outcome.ts';
import { BROKER_RETRY } from '../plan/lane-pauses.ts';
import type { SharedLimit } from '../plan/shared-limit.ts';

interface ReservationsParts {
  readonly settings: WorkerSettings;
  readonly emitter: WorkerEmitter;
  readonly limits: ReadonlyMap<string, SharedLimit>;
  /** All claimed runs of the worker. */
  readonly executions: Iterable<Execution>;
  /** Calls the handler of a run whose start is granted. */
  readonly begin: (execution: Execution) => void;
  /** Continues the worker's loop: more runs may be claimed. */
  readonly wake: () => void;
}

/**
 * Reserves the starts of runs whose task has a limit that all workers share. Runs that are about to start at the same time are
 * reserved with one call; those that follow while it is under way, with the next one.
 */
export class StartReservations {
  readonly #parts: ReservationsParts;
  /**
   * Executions without an answer, and when their starts were counted by the worker. Those that end meanwhile leave it. Not a `Map`, for
   * the reason of `Roster`.
   */
  readonly #open = new WeakMap<Execution, number>();
  #next: Execution[] = [];
  #isAsking = false;
  /** Calls that have failed since the latest answer. */
  #failures = 0;

  constructor(parts: ReservationsParts) {
    this.#parts = parts;
  }

  /** Reserves a start for an execution, which has a slot since this instant of the worker's clock. */
  add(execution: Execution, now: number): void {
    this.#open.set(execution, now);
    this.#limitOf(execution)?.noteAsked(1);
    this.#next.push(execution);
    if (!this.#isAsking) void this.#ask();
  }

  /** Notes that an execution has ended. @returns when its start was counted, if it was being reserved */
  leave(execution: Execution): number | undefined {
    const countedAt = this.#open.get(execution);
    if (countedAt === undefined) return undefined;
    this.#open.delete(execution);
    this.#limitOf(execution)?.noteAsked(-1);
    return countedAt;
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#next.length > 0) {
      // Those that start in the same turn are reserved together.
      await Promise.resolve();
      const batch = this.#byLimit(this.#next);
      this.#next = [];
      if (batch.size > 0) await this.#reserve(batch);
    }
    this.#isAsking = false;
  }

  async #reserve(batch: ReadonlyMap<SharedLimit, readonly Execution[]>): Promise<void> {
    const { settings, emitter, wake } = this.#parts;
    const requests = [...batch].map(([{ settings: limit }, { length }]) => ({ ...limit, count: length }));
    try {
      const answers = await settings.broker.reserve(requests);
      this.#failures = 0;
      [...batch].forEach(([limit, executions], index) => {
        this.#answer(limit, executions, answers[index] ?? { granted: 0 });
      });
    } catch (error) {
      // A worker that stops has given back all runs, and need not report that the broker was closed.
      if ([...batch.values()].flat().some((execution) => this.#open.has(execution)))
        emitter.emit('error', () => ({ error, doing: 'reserving starts' }));
      this.#fail([...batch.keys()]);
    }
    wake();
  }

  #answer(limit: SharedLimit, executions: readonly Execution[], reserved: Reserved): void {
    const { executions: all, begin } = this.#parts;
    const { granted } = reserved;
    limit.noteAnswer(executions.length, reserved);
    const open = executions.filter((execution) => this.#open.has(execution));
    // The start of one may end others: a listener of the worker's may stop it.
    for (const execution of open.slice(0, granted)) if (this.leave(execution) !== undefined) begin(execution);
    if (granted === executions.length) return;
    const lanes = new Set<string>();
    for (const execution of open.slice(granted)) {
      const { lane, whenFull } = execution.task;
      if (whenFull === 'wait') lanes.add(lane);
      else execution.interrupt(LIMITED, undefined);
    }
    // The others of these lanes that were claimed in advance would be refused, too.
    for (const lane of lanes) giveBackLane(all, lane);
  }

  /** Nothing starts without a reservation: all runs go back, and come again after a delay. */
  #fail(limits: readonly SharedLimit[]): void {
    const { settings, executions } = this.#parts;
    this.#failures += 1;
    const delayMs = computeDelay(BROKER_RETRY, this.#failures, settings);
    for (const limit of limits) {
      limit.noteFailure(delayMs);
      for (const lane of limit.lanes) giveBackLane(executions, lane);
    }
  }

  #byLimit(executions: readonly Execution[]): ReadonlyMap<SharedLimit, readonly Execution[]> {
    const batch = new Map<SharedLimit, Execution[]>();
    for (const execution of executions) {
      const limit = this.#limitOf(execution);
      if (limit === undefined || !this.#open.has(execution)) continue;
      const some = batch.get(limit) ?? [];
      some.push(execution);
      batch.set(limit, some);
    }
    return batch;
  }

  #limitOf({ task }: Execution): SharedLimit | undefined {
    return this.#parts.limits.get(task.lane);
  }
}
