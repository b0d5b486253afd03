import type { ClaimedRun } from '@retry/core/broker';
import type { WorkerEmitter } from '../events.ts';
import { Leases } from '../lease/leases.ts';
import type { WorkerSettings } from '../options.ts';
import type { ExecutionHost } from '../run/execution.ts';
import { Execution } from '../run/execution.ts';
import type { Roster } from '../run/roster.ts';
import { giveBackAll, giveBackLane, latestFirst } from '../run/roster.ts';
import type { Outcome } from '../settle/outcome.ts';
import { LIMITED } from '../settle/outcome.ts';
import { noticeOf } from '../settle/report.ts';
import { attemptOf, earlyMs, isFirstStart, latenessOf } from '../settle/settlement.ts';
import type { Settler } from '../settle/settler.ts';
import { informBudget } from '../settle/settler.ts';
import type { RunTask } from '../task/run-policy.ts';
import { taskOfRun } from '../task/run-policy.ts';
import type { FlowCounts } from './attendance/worker-report.ts';
import type { Exchanger } from './exchanger.ts';
import type { LaneBreakers } from './lanes/lane-breakers.ts';
import type { ServerHolds } from './lanes/server-holds.ts';
import { StartReservations } from './lanes/start-reservations.ts';
import { apply, noteClaimed, noteEnded, noteStarted } from './plan/apply.ts';
import { takeLate, takeWaiting } from './plan/plan.ts';
import type { WorkerState } from './plan/worker-state.ts';
import { isSuspect, suspectsToGiveBack } from './recovery/cleaner.ts';

/** What the executions work with. */
interface ExecutionsParts {
  readonly state: WorkerState<Execution>;
  /** All claimed runs of the worker. */
  readonly all: Roster<Execution>;
  readonly exchanger: Exchanger;
  readonly settler: Settler;
  readonly breakers: LaneBreakers;
  readonly holds: ServerHolds;
  readonly flow: FlowCounts;
  /** Continues the worker's loop: something may have to be started, claimed or settled. */
  readonly wake: () => void;
}

/**
 * The claimed runs of a worker: those whose handlers are running, and those that wait for a slot. The life of one, from top to bottom:
 *
 * 1. `take`: its claim was answered. What is not to be started ends here.
 * 2. `fill`: it has a slot; where all workers share a limit of starts, one is reserved.
 * 3. `Execution.start`, `runHandler`: payload, a lease that lasts, the handler, its outcome.
 * 4. `onEnd`: `Settler.settle` makes the decision, and queues what is to be written.
 * 5. `Settler.report`: the exchange was answered.
 */
export class Executions implements ExecutionHost {
  readonly settings: WorkerSettings;
  readonly emitter: WorkerEmitter;
  /** Of these runs. */
  readonly leases: Leases;
  readonly #parts: ExecutionsParts;
  readonly #state: WorkerState<Execution>;
  readonly #all: Roster<Execution>;
  /** Executions that have lost their lease, and whose handlers have not returned. */
  readonly #leftRunning = new Set<Execution>();
  readonly #reservations: StartReservations;
  #claimedRuns = 0;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter, parts: ExecutionsParts) {
    const { state, all, exchanger, wake } = parts;
    this.settings = settings;
    this.emitter = emitter;
    this.#parts = parts;
    this.#state = state;
    this.#all = all;
    this.#reservations = new StartReservations({
      ...{ settings, emitter, limits: state.sharedLimits, executions: all, wake },
      begin: (execution) => this.#begin(execution, settings.clock.now()),
    });
    this.leases = new Leases(settings, {
      ...{ emitter, executions: all, exchanger },
      onChange: (areLost) => {
        apply(state, { type: 'heartbeats', areLost });
        wake();
      },
    });
  }

  /** Now by the broker's clock, in epoch ms. */
  now(): number {
    return this.#parts.exchanger.now();
  }

  /** Renews the lease of a run before its handler is called. @returns whether that may be called */
  renewLease(execution: Execution): Promise<boolean> {
    return this.leases.renew(execution);
  }

  /**
   * Takes over claimed runs and starts as many as there are slots.
   *
   * @param sentAt - when they were claimed at the earliest, by the worker's clock
   */
  take(claimed: readonly ClaimedRun[], sentAt: number): void {
    const taken: Execution[] = [];
    const { clock, leaseMs } = this.settings;
    const [claimedAt, leasedUntil] = [clock.now(), sentAt + leaseMs];
    for (const each of claimed) {
      const { run, isProbe = false } = each;
      const known = this.settings.tasks.get(run.lane);
      if (known === undefined) continue;
      const runTask = taskOfRun(known, run);
      const { task } = runTask;
      if (isProbe) this.#parts.breakers.noteProbe(task);
      const order = this.#claimedRuns++;
      const execution = new Execution(task, { run, claimedAt, order, leasedUntil, isProbe }, this);
      this.#all.add(execution);
      noteClaimed(this.#state, task);
      const outcome = unstartedOutcome(each, runTask);
      if (this.#state.isStopping) execution.giveBack(0);
      else if (outcome !== undefined) execution.interrupt(outcome, undefined);
      else taken.push(execution);
    }
    this.leases.noteClaimed(taken);
    if (taken.some(isSuspect)) this.#giveBackSuspects(taken);
    apply(this.#state, { type: 'waits', runs: taken, now: claimedAt });
    // The server may have answered the claim before it stored the hold.
    for (const lane of this.#parts.holds.heldSince(sentAt)) this.giveBack(lane);
    this.fill();
  }

  /** Starts as many of the runs that wait as there are slots. */
  fill(): void {
    const { slots, concurrency } = this.#state;
    while (this.#state.waiting.length > 0 && slots.taken.running < concurrency && !this.#state.isStopping) {
      const execution = takeWaiting(this.#state);
      if (execution === undefined) return;
      this.#start(execution);
    }
  }

  #start(execution: Execution): void {
    const { task } = execution;
    const now = this.settings.clock.now();
    if (!this.#state.slots.start(task, now)) return void execution.interrupt(LIMITED, undefined);
    noteStarted(this.#state, task);
    execution.hasSlot = true;
    if (task.globalRateLimit === undefined) this.#begin(execution, now);
    else this.#reservations.add(execution, now);
  }

  #begin(execution: Execution, now: number): void {
    if (this.emitter.isObserved('started')) this.#emitStarted(execution, now);
    if (execution.hasEnded) return; // by a listener
    const { run, claimedAt } = execution;
    if (execution.task.budget !== undefined) this.#noteRequest(execution);
    this.#parts.flow.noteStart(run, latenessOf(run) + now - claimedAt);
    execution.start(now);
    this.leases.noteStart();
  }

  /** Records each first attempt once in the budget of its task, and once again when its run was redriven. */
  #noteRequest({ task, run }: Execution): void {
    if (!isFirstStart(run) || attemptOf(run) > 1) return;
    informBudget(task.lane, this.emitter, () => task.budget?.record({ type: 'request' }));
  }

  /** Apart from `#start`, because a closure there would cost every run, observed or not. */
  #emitStarted({ task, run, claimedAt }: Execution, now: number): void {
    this.emitter.emit('started', () =>
      Object.assign(noticeOf(task, run), this.#state.lateness.explain({ run, claimedAt, now })),
    );
  }

  /** Corrects what the start of a run counts as against the limit of all workers. @returns whether it counts at all */
  spend(execution: Execution, actual: number): boolean {
    return this.#reservations.spend(execution, actual);
  }

  /** Resolves when the broker knows what these runs have cost. Never rejects. */
  settled(): Promise<void> {
    return this.#reservations.settled();
  }

  /** Settles a run that has ended, and starts the next one. */
  onEnd(execution: Execution, outcome: Outcome | undefined): void {
    const { task, hasSlot, isRunning, hasStarted } = execution;
    this.#all.remove(execution);
    if (task.globalRateLimit !== undefined) this.#leaveReservations(execution);
    const durationMs = hasStarted ? execution.durationMs : undefined;
    noteEnded(this.#state, task, { hasSlot, holdsRoom: isRunning, durationMs });
    if (isRunning) this.#keepRoom(execution);
    if (outcome !== undefined) this.#parts.settler.settle(execution, outcome);
    this.#parts.wake();
    // After the decision, whose gates and patterns may block the event loop: until then the thread renews its lease.
    this.leases.noteEnd(execution);
    this.fill();
  }

  #leaveReservations(execution: Execution): void {
    const countedAt = this.#reservations.leave(execution);
    // Its handler was not called: it is no start of this worker, whose own rate limit has counted it.
    if (countedAt !== undefined) this.#state.slots.takeBackStart(execution.task, countedAt);
  }

  /** Gives back, uncharged, the runs that have waited for a slot for too long. */
  giveBackLate(now: number): void {
    giveBackAll(takeLate(this.#state, now));
  }

  /** Gives back, uncharged, the runs of a lane that were claimed in advance, because it is on hold. */
  giveBack(lane: string): void {
    giveBackLane(this.#all, lane);
  }

  /** Gives back those of the claimed runs that may not be here together. */
  #giveBackSuspects(taken: readonly Execution[]): void {
    const { clock, leaseMs: maxWaitMs } = this.settings;
    const present = [...this.#all].filter((execution) => isSuspect(execution) && !taken.includes(execution));
    const waiting = suspectsToGiveBack(taken, present, { now: clock.now(), maxWaitMs });
    for (const { execution, delayMs } of [...waiting].reverse())
      execution.interrupt({ type: 'released', delayMs }, undefined);
  }

  /** Starts no more; each run finishes within its time, stalls or is given back, as its task says. */
  stop(): void {
    this.#beginToStop();
    for (const execution of latestFirst(this.#all)) execution.shutDown(this.settings.shutdownMs);
  }

  /** Gives back every run that has not ended. */
  stopNow(): void {
    this.#beginToStop();
    for (const execution of latestFirst(this.#all)) execution.giveBack(0);
  }

  #beginToStop(): void {
    apply(this.#state, { type: 'stops' });
    for (const execution of this.#leftRunning) execution.forget();
  }

  /** Its lease is lost, so it is none of the worker's runs any more; its handler takes its room until it returns. */
  #keepRoom(execution: Execution): void {
    if (this.#state.isStopping) execution.forget();
    else this.#leftRunning.add(execution);
  }

  /** Gives the room of a lost run to another one. */
  onRoomFree(execution: Execution): void {
    if (!this.#leftRunning.delete(execution)) return;
    apply(this.#state, { type: 'room-freed', task: execution.task });
    this.#parts.wake();
    this.fill();
  }
}

/** Returns the outcome of a claimed run whose handler is not to be called; `undefined` when it is. */
function unstartedOutcome(
  { run, isOverLimit }: ClaimedRun,
  { task, unreadable }: RunTask,
): Outcome | undefined {
  if (unreadable !== undefined) return { type: 'unreadable', error: unreadable };
  if (isOverLimit) return { type: 'limited' };
  if (task.minRequeueMs !== undefined && earlyMs(run) > 0) return { type: 'early' };
  return undefined;
}
