import { computeDelay } from '@retry/core';
import type { Reservation, Reserved, StartCorrection } from '@retry/core/broker';
import { MAX_STARTS } from '@retry/core/broker/kit';
import { BROKER_RETRY } from '../../broker.ts';
import type { Execution } from '../../run/execution.ts';
import { giveBackLane } from '../../run/roster.ts';
import { LIMITED } from '../../settle/outcome.ts';
import { costOf } from '../../task/cost.ts';
import type { SharedLimit } from '../plan/shared-limit.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Starts runs. */
interface Starter {
  /** Calls the handler of a run whose start is granted. @param now - by the worker's clock */
  begin(execution: Execution, now: number): void;
}

/** A run whose start is being reserved. */
interface OpenStart {
  readonly execution: Execution;
  readonly cost: number;
}

/**
 * Reserves the starts of runs whose task has a limit that all workers share. Runs that are about to start at the same time are
 * reserved with one call; those that follow while it is under way, with the next one. So are corrections of what was reserved.
 *
 * Where starts have costs, their sum is asked for, and at least the cost of the first one: it is not to wait until others have left
 * enough for it by chance. What is granted is for the first ones that it suffices for; the rest of it is given back.
 */
export class StartReservations {
  readonly #worker: WorkerContext;
  readonly #starter: Starter;
  /**
   * Executions without an answer, when their starts were counted by the worker, and what they cost. Those that end meanwhile leave it.
   * Not a `Map`, for the reason of `Roster`.
   */
  readonly #open = new WeakMap<Execution, { readonly countedAt: number; readonly cost: number }>();
  readonly #grants = new StartGrants();
  #next: Execution[] = [];
  #isAsking = false;
  /** Resolves when the calls under way, and those that follow from them, were answered. */
  #asking: Promise<void> | undefined;
  /** Whether the call under way corrects anything. */
  #isCorrecting = false;
  /** Calls that have failed since the latest answer. */
  #failures = 0;
  /** Corrections wait for another call, or this timer, after one has failed. */
  #cancelPause: (() => void) | undefined;
  #isStopping = false;

  constructor(worker: WorkerContext, starter: Starter) {
    this.#worker = worker;
    this.#starter = starter;
  }

  /** Reserves a start for an execution, which has a slot since this instant of the worker's clock. */
  add(execution: Execution, now: number): void {
    let cost: number;
    try {
      cost = costOf(execution.task, execution.run);
    } catch (error) {
      this.#open.set(execution, { countedAt: now, cost: 0 });
      execution.interrupt({ type: 'unreadable', error }, undefined);
      return;
    }
    this.#open.set(execution, { countedAt: now, cost });
    this.#limitOf(execution)?.noteAsked(cost);
    this.#next.push(execution);
    this.#send();
  }

  /** Notes that an execution has ended. @returns when its start was counted, if it was being reserved */
  leave(execution: Execution): number | undefined {
    const open = this.#open.get(execution);
    if (open === undefined) return undefined;
    this.#open.delete(execution);
    this.#limitOf(execution)?.noteAsked(-open.cost);
    return open.countedAt;
  }

  /** Corrects what the start of an execution counts as. @returns whether it counts at all */
  spend(execution: Execution, actual: number): boolean {
    const isCounted = this.#grants.spend(execution, actual);
    if (this.#grants.hasCorrections) this.#send();
    return isCounted;
  }

  /** Tells the broker of the corrections that are left, once. Never rejects. */
  async settled(): Promise<void> {
    this.#isStopping = true;
    this.#endPause();
    while (this.#isCorrecting || this.#grants.hasCorrections) {
      this.#send();
      await this.#asking;
    }
  }

  #send(): void {
    if (!this.#isAsking) this.#asking = this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#next.length > 0 || (this.#grants.hasCorrections && this.#cancelPause === undefined)) {
      // Those that start in the same turn are reserved together.
      await Promise.resolve();
      const batch = this.#byLimit(this.#next);
      this.#next = [];
      const corrections = this.#grants.take();
      this.#isCorrecting = corrections.length > 0;
      if (batch.size > 0 || this.#isCorrecting) await this.#reserve(batch, corrections);
      this.#isCorrecting = false;
    }
    this.#isAsking = false;
  }

  async #reserve(
    batch: ReadonlyMap<SharedLimit, readonly OpenStart[]>,
    corrections: readonly StartCorrection[],
  ): Promise<void> {
    const requests = [...batch].map(([limit, starts]) => reservationOf(limit, starts));
    try {
      const answers = await this.#worker.settings.broker.reserve([...corrections, ...requests]);
      this.#failures = 0;
      [...batch].forEach(([limit, starts], index) => {
        const { [index]: request, length } = requests;
        const reserved = answers[answers.length - length + index] ?? { granted: 0 };
        this.#answer(limit, starts, [request?.count ?? 0, reserved]);
      });
    } catch (error) {
      // A worker that stops has given back all runs, and need not report that the broker was closed.
      const isOpen = [...batch.values()].flat().some(({ execution }) => this.#open.has(execution));
      if (isOpen || corrections.length > 0)
        this.#worker.emitError(error, isOpen ? 'reserving starts' : 'correcting starts');
      this.#fail([...batch.keys()], corrections);
    }
    this.#worker.wake();
  }

  #answer(
    limit: SharedLimit,
    starts: readonly OpenStart[],
    [count, reserved]: readonly [count: number, reserved: Reserved],
  ): void {
    const { granted, grantedAt } = reserved;
    const grant = { limit, grantedAt: grantedAt ?? 0, countedAt: limit.noteAnswer(count, reserved) };
    const { starting, refused } = this.#divide(starts, granted);
    let left = granted;
    for (const { execution, cost } of starting) {
      // The start of one may end others: a listener of the worker's may stop it.
      if (this.leave(execution) === undefined) continue;
      left -= cost;
      if (grantedAt !== undefined) this.#grants.note(execution, grant, cost);
      this.#starter.begin(execution, this.#worker.settings.clock.now());
    }
    if (grantedAt !== undefined) this.#grants.correct(grant, -left);
    const lanes = new Set<string>();
    for (const { execution } of refused) {
      const { lane, whenFull } = execution.task;
      if (whenFull === 'wait') lanes.add(lane);
      else execution.interrupt(LIMITED, undefined);
    }
    // The others of these lanes that were claimed in advance would be refused, too.
    for (const lane of lanes) giveBackLane(this.#worker.executions, lane);
  }

  /** Divides starts by what was granted: those of tasks that wait begin in their order; of the others, as many as fit. */
  #divide(starts: readonly OpenStart[], granted: number) {
    const [starting, refused]: [OpenStart[], OpenStart[]] = [[], []];
    let left = granted;
    let isRowClosed = false;
    for (const start of starts) {
      if (!this.#open.has(start.execution)) continue;
      const waits = start.execution.task.whenFull === 'wait';
      const fits = start.cost <= left && !(waits && isRowClosed);
      if (fits) left -= start.cost;
      else isRowClosed ||= waits;
      (fits ? starting : refused).push(start);
    }
    return { starting, refused };
  }

  /** Nothing starts without a reservation: all runs go back, and come again after a delay. */
  #fail(limits: readonly SharedLimit[], corrections: readonly StartCorrection[]): void {
    const { settings } = this.#worker;
    this.#failures += 1;
    const delayMs = computeDelay(BROKER_RETRY, this.#failures, settings);
    for (const limit of limits) {
      limit.noteFailure(delayMs);
      for (const lane of limit.lanes) giveBackLane(this.#worker.executions, lane);
    }
    this.#endPause();
    if (this.#isStopping) return void this.#grants.take();
    this.#grants.noteFailure(corrections);
    if (!this.#grants.hasCorrections) return;
    this.#cancelPause = settings.clock.setTimer(() => {
      this.#cancelPause = undefined;
      this.#send();
    }, delayMs);
  }

  #endPause(): void {
    this.#cancelPause?.();
    this.#cancelPause = undefined;
  }

  #byLimit(executions: readonly Execution[]): ReadonlyMap<SharedLimit, readonly OpenStart[]> {
    const batch = new Map<SharedLimit, OpenStart[]>();
    for (const execution of executions) {
      const limit = this.#limitOf(execution);
      const open = this.#open.get(execution);
      if (limit === undefined || open === undefined) continue;
      const some = batch.get(limit) ?? [];
      some.push({ execution, cost: open.cost });
      batch.set(limit, some);
    }
    return batch;
  }

  #limitOf({ task }: Execution): SharedLimit | undefined {
    return this.#worker.state.sharedLimits.get(task.lane);
  }
}

/** Runs that do not wait end where they do not fit: any number is of use to them. */
function reservationOf({ settings }: SharedLimit, starts: readonly OpenStart[]): Reservation {
  const { key, limit, windowMs } = settings;
  const count = Math.min(
    starts.reduce((sum, { cost }) => sum + cost, 0),
    MAX_STARTS,
  );
  const [first] = starts;
  const areInRow = starts.every(({ execution }) => execution.task.whenFull === 'wait');
  const least = areInRow ? (first?.cost ?? 1) : 1;
  return { key, limit, windowMs, count, ...(least > 1 && { least }) };
}

/** Starts that a limit has granted to one run, or to several with one call. */
interface StartGrant {
  readonly limit: SharedLimit;
  /** When they were granted, by the broker's clock. */
  readonly grantedAt: number;
  /** When the worker has counted them, by its estimate of that clock. */
  readonly countedAt: number;
}

/** What one run counts as. */
interface CountedStart {
  readonly grant: StartGrant;
  cost: number;
}

/**
 * What the runs of a worker count as against limits that all workers share, and the corrections that the broker has not been told of yet.
 *
 * A call that fails may have been written. What takes starts away is not sent again then, because twice would be too much; what adds some
 * is, because a limit would be exceeded without it.
 */
class StartGrants {
  readonly #starts = new WeakMap<Execution, CountedStart>();
  #corrections: readonly StartCorrection[] = [];

  /** Whether the broker is to be told of anything. */
  get hasCorrections(): boolean {
    return this.#corrections.length > 0;
  }

  /** Notes what the start of a run counts as. */
  note(execution: Execution, grant: StartGrant, cost: number): void {
    this.#starts.set(execution, { grant, cost });
  }

  /** Corrects what the start of a run counts as. @returns whether it was counted at all */
  spend(execution: Execution, actual: number): boolean {
    const start = this.#starts.get(execution);
    if (start === undefined) return false;
    const { limit } = start.grant;
    if (actual < start.cost) limit.noteFreed();
    this.correct(start.grant, actual - start.cost);
    start.cost = actual;
    return true;
  }

  /** Notes that more starts were made than were granted, or fewer. */
  correct({ limit, grantedAt, countedAt }: StartGrant, count: number): void {
    if (count === 0) return;
    limit.noteCorrection(countedAt, count);
    this.#corrections = [...this.#corrections, { key: limit.settings.key, grantedAt, count }];
  }

  /** Takes the corrections that are to be sent. */
  take(): readonly StartCorrection[] {
    const corrections = this.#corrections;
    this.#corrections = [];
    return corrections;
  }

  /** Notes that the call with these corrections has failed. */
  noteFailure(corrections: readonly StartCorrection[]): void {
    this.#corrections = [...corrections.filter(({ count }) => count > 0), ...this.#corrections];
  }
}
