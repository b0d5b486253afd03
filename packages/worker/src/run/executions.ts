import { isRetryError } from '@retry/core';
import type { ClaimedRun } from '@retry/core/broker';
import { wasCutFor } from '@retry/core/fields';
import type { Exchanger } from '../engine/exchanger.ts';
import { LaneBreakers } from '../engine/lanes/lane-breakers.ts';
import { ServerHolds } from '../engine/lanes/server-holds.ts';
import { StartReservations } from '../engine/lanes/start-reservations.ts';
import { apply, noteClaimed, noteEnded, noteStarted } from '../engine/plan/apply.ts';
import { takeLate, takeWaiting } from '../engine/plan/plan.ts';
import { isSuspect, suspectsToGiveBack } from '../engine/recovery/suspects.ts';
import type { WorkerContext } from '../engine/worker-context.ts';
import type { WorkerEmitter } from '../events.ts';
import { LeaseGuard } from '../lease/lease-guard.ts';
import { CancelWatch, Leases } from '../lease/leases.ts';
import type { WorkerSettings } from '../options.ts';
import { areHandlersObserved, observeHandler } from '../session/observed-calls.ts';
import { outside } from '../session/outside.ts';
import type { Outcome } from '../settle/outcome.ts';
import { LIMITED, RELEASED } from '../settle/outcome.ts';
import { noticeOf } from '../settle/report.ts';
import { earlyMs, latenessOf } from '../settle/settlement.ts';
import type { Settler } from '../settle/settler.ts';
import { awaitBudget, recordEnd, recordStart } from '../settle/task-budget.ts';
import { readPayload, writeResult } from '../task/payload.ts';
import type { RunTask } from '../task/run-policy.ts';
import { taskOfRun } from '../task/run-policy.ts';
import { checkPayload } from '../task/schema.ts';
import { HandlerContext, outcomeOfCompletion } from './context.ts';
import type { ExecutionHost } from './execution.ts';
import { Execution } from './execution.ts';
import { outcomeOfError, withRequest } from './requests.ts';
import { giveBackAll, giveBackLane, latestFirst } from './roster.ts';

/**
 * The claimed runs of a worker: those whose handlers are running, and those that wait for a slot. The life of one, from top to bottom:
 *
 * 1. `take`: its claim was answered. What is not to be started ends here.
 * 2. `fill`, `#start`, `begin`: it has a slot; where all workers share a limit of starts, one is reserved.
 * 3. `call`: its payload, a lease that lasts, its handler, its outcome.
 * 4. `onEnd`: its outcome leaves its room to the next run.
 * 5. `#settle`: its outcome leads to a decision, and what is to be written leaves with the next exchange.
 * 6. `Settler.report`: that was answered.
 */
export class Executions implements ExecutionHost {
  readonly settings: WorkerSettings;
  readonly emitter: WorkerEmitter;
  /** Leases of these runs, and what keeps them while the event loop is blocked. */
  readonly leases: Leases;
  readonly guard: LeaseGuard;
  readonly #cancelWatch: CancelWatch;
  readonly #worker: WorkerContext;
  readonly #exchanger: Exchanger;
  readonly #settler: Settler;
  readonly #breakers: LaneBreakers;
  readonly #holds: ServerHolds;
  readonly #reservations: StartReservations;
  /** Executions that have lost their lease, and whose handlers have not returned. */
  readonly #leftRunning = new Set<Execution>();
  #claimedRuns = 0;

  constructor(worker: WorkerContext, exchanger: Exchanger, settler: Settler) {
    this.settings = worker.settings;
    this.emitter = worker.emitter;
    this.#worker = worker;
    this.#exchanger = exchanger;
    this.#settler = settler;
    this.#breakers = new LaneBreakers(worker);
    this.#holds = new ServerHolds(worker);
    this.#reservations = new StartReservations(worker, this);
    this.leases = new Leases(worker, exchanger);
    this.guard = new LeaseGuard(worker, this.leases);
    this.#cancelWatch = new CancelWatch(worker);
  }

  /**
   * Takes over claimed runs and starts as many as there are slots.
   *
   * @param sentAt - when they were claimed at the earliest, by the worker's clock
   */
  take(claimed: readonly ClaimedRun[], sentAt: number): void {
    const { state, executions } = this.#worker;
    const { clock, leaseMs, tasks } = this.settings;
    const [claimedAt, leasedUntil] = [clock.now(), sentAt + leaseMs];
    const taken: Execution[] = [];
    for (const each of claimed) {
      const { run, isProbe = false } = each;
      const known = tasks.get(run.lane);
      if (known === undefined) continue;
      const runTask = taskOfRun(known, run);
      const { task } = runTask;
      if (isProbe) this.#breakers.noteProbe(task);
      const order = this.#claimedRuns++;
      const execution = new Execution(task, { run, claimedAt, order, leasedUntil, isProbe }, this);
      executions.add(execution);
      noteClaimed(state, task);
      const outcome = unstartedOutcome(each, runTask);
      if (state.isStopping) execution.giveBack(0);
      else if (outcome !== undefined) execution.interrupt(outcome, undefined);
      else taken.push(execution);
    }
    this.guard.noteClaimed(taken);
    if (taken.some(isSuspect)) this.#giveBackSuspects(taken);
    apply(state, { type: 'waits', runs: taken, now: claimedAt });
    // The server may have answered the claim before it stored the hold.
    for (const lane of this.#holds.heldSince(sentAt)) giveBackLane(executions, lane);
    this.fill();
  }

  /** Starts as many of the runs that wait as there are slots. */
  fill(): void {
    const { state } = this.#worker;
    const { slots, concurrency } = state;
    while (state.waiting.length > 0 && slots.taken.running < concurrency && !state.isStopping) {
      const execution = takeWaiting(state);
      if (execution === undefined) return;
      this.#start(execution);
    }
  }

  #start(execution: Execution): void {
    const { state } = this.#worker;
    const { task } = execution;
    const now = this.settings.clock.now();
    if (!state.slots.start(task, now)) return void execution.interrupt(LIMITED, undefined);
    noteStarted(state, task);
    execution.hasSlot = true;
    if (task.globalRateLimit === undefined) this.begin(execution, now);
    else this.#reservations.add(execution, now);
  }

  /** Begins the attempt of a run that has a slot, and whose start is reserved where that is needed. */
  begin(execution: Execution, now: number): void {
    if (this.emitter.isObserved('started')) this.#emitStarted(execution, now);
    if (execution.hasEnded) return; // by a listener
    const { run, task, claimedAt } = execution;
    if (task.budget !== undefined) recordStart(task, run, this.emitter);
    this.#worker.report.flow.noteStart(run, latenessOf(run) + now - claimedAt);
    // Not awaited: an async function would be a frame of the worker in the stack of the handler's error.
    if (execution.start(now)) void outside(callOf, this, execution);
    this.#cancelWatch.arm();
  }

  /** Apart from `begin`, because a closure there would cost every run, observed or not. */
  #emitStarted({ task, run, claimedAt }: Execution, now: number): void {
    const { lateness } = this.#worker.state;
    this.emitter.emit('started', () =>
      Object.assign(noticeOf(task, run), lateness.explain({ run, claimedAt, now })),
    );
  }

  /**
   * Reads the payload, calls the handler, and ends the attempt with its outcome; every error becomes one. The attempt is ended here,
   * because a promise of the outcome would cost every run two more of them.
   */
  async call(execution: Execution): Promise<void> {
    // A turn of its own, so that stacks of errors show the handler and not the worker's frames below it.
    await undefined;
    const { task, run } = execution;
    let payload: unknown;
    try {
      payload = readPayload(run.payload);
      if (task.schema !== undefined) payload = await checkPayload(task.schema, payload);
    } catch (error) {
      // A validator that throws has not judged the payload: it may have asked a database that is down.
      const isInvalid = isRetryError(error, 'INVALID_PAYLOAD');
      return execution.end(isInvalid ? { type: 'unreadable', error } : outcomeOfError(error));
    }
    // Again, if the handler of another run has blocked the event loop since the answer.
    while (execution.isLeaseShort) if (!(await this.leases.renew(execution))) return execution.end(RELEASED);
    // Validating may take long; meanwhile the attempt may have been cancelled or have lost its lease.
    if (execution.isStopped) return execution.end(RELEASED);
    execution.wasCalled = true;
    let outcome: Outcome;
    const ctx = new HandlerContext(execution, this.#worker, this.#reservations);
    try {
      // Awaited here: each further async function costs every run two promises.
      const result: unknown = await (areHandlersObserved()
        ? observeHandler(execution, () => task.run(payload, ctx))
        : task.run(payload, ctx));
      outcome = { type: 'completed', result: writeResult(result, task.maxResultBytes) };
    } catch (error) {
      // A call inside it has a timer for the same instant.
      if (wasCutFor(error, ctx) && !execution.isCompleting) return execution.expire(error);
      outcome = outcomeOfError(error);
    }
    if (execution.requested !== undefined) outcome = withRequest(outcome, execution.requested.thrown);
    if (task.budget?.ready !== undefined && !execution.hasEnded) await awaitBudget(execution, outcome);
    if (execution.isCompleting) outcome = await outcomeOfCompletion(execution, this.#worker, outcome);
    execution.end(outcome);
  }

  /** Settles a run that has ended, and starts the next one. */
  onEnd(execution: Execution, outcome: Outcome | undefined): void {
    const { task, hasSlot, isRunning, hasStarted } = execution;
    const { state, executions } = this.#worker;
    executions.remove(execution);
    if (task.globalRateLimit !== undefined) this.#leaveReservations(execution);
    const durationMs = hasStarted ? execution.durationMs : undefined;
    noteEnded(state, task, { hasSlot, holdsRoom: isRunning, durationMs });
    if (isRunning) this.#keepRoom(execution);
    if (outcome !== undefined) this.#settle(execution, outcome);
    this.#worker.wake();
    // After the decision, whose gates and patterns may block the event loop: until then the thread renews its lease.
    this.guard.noteEnd(execution);
    this.fill();
  }

  /** Decides what follows from the outcome, and queues that. */
  #settle(execution: Execution, outcome: Outcome): void {
    const { task, isProbe } = execution;
    const settlement = this.#settler.settlementOf(execution, outcome);
    if (task.budget !== undefined) recordEnd(settlement, this.emitter);
    if (task.circuitBreaker !== undefined || isProbe) this.#breakers.note(execution, settlement.decided);
    if (task.adapt) this.#holds.note(execution, settlement.decided.outcome);
    // The open transaction of its handler may have locked the run.
    if (execution.isCompleting && outcome.type !== 'completed') this.#exchanger.pushAlone(settlement);
    else this.#exchanger.push(settlement);
  }

  #leaveReservations(execution: Execution): void {
    const countedAt = this.#reservations.leave(execution);
    // Its handler was not called: it is no start of this worker, whose own rate limit has counted it.
    if (countedAt !== undefined) this.#worker.state.slots.takeBackStart(execution.task, countedAt);
  }

  /**
   * Keeps the room of an execution whose lease is lost: it is none of the worker's runs any more, but its handler takes room until it
   * returns.
   */
  #keepRoom(execution: Execution): void {
    if (this.#worker.state.isStopping) execution.forget();
    else this.#leftRunning.add(execution);
  }

  /** Gives the room of a lost run to another one. */
  onRoomFree(execution: Execution): void {
    if (!this.#leftRunning.delete(execution)) return;
    apply(this.#worker.state, { type: 'room-freed', task: execution.task });
    this.#worker.wake();
    this.fill();
  }

  /** Gives back, uncharged, the runs that have waited for a slot for too long. */
  giveBackLate(now: number): void {
    giveBackAll(takeLate(this.#worker.state, now));
  }

  /** Gives back those of the claimed runs that may not be here together. */
  #giveBackSuspects(taken: readonly Execution[]): void {
    const { clock, leaseMs: maxWaitMs } = this.settings;
    const present = [...this.#worker.executions].filter((each) => isSuspect(each) && !taken.includes(each));
    const waiting = suspectsToGiveBack(taken, present, { now: clock.now(), maxWaitMs });
    for (const { execution, delayMs } of [...waiting].reverse())
      execution.interrupt({ type: 'released', delayMs }, undefined);
  }

  /** Starts no more; each run finishes within its time, stalls or is given back, as its task says. */
  stop(): void {
    for (const execution of this.#leftRunning) execution.forget();
    for (const execution of latestFirst(this.#worker.executions))
      execution.shutDown(this.settings.shutdownMs);
  }

  /** Gives back every run that has not ended. */
  stopNow(): void {
    for (const execution of this.#leftRunning) execution.forget();
    for (const execution of latestFirst(this.#worker.executions)) execution.giveBack(0);
  }

  /** Leaves nothing of their leases behind. */
  close(): void {
    this.#cancelWatch.close();
    this.guard.close();
  }

  /** Resolves when the broker knows what these runs have cost. Never rejects. */
  settled(): Promise<void> {
    return this.#reservations.settled();
  }
}

/** Begins the call of a run's handler. */
function callOf(executions: Executions, execution: Execution): Promise<void> {
  return executions.call(execution);
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
