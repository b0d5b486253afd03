import type { ClaimedRun, HeartbeatRequest } from '@retry/core/broker';
import type { WorkerEmitter } from '../events.ts';
import { Leases } from '../lease/leases.ts';
import type { WorkerSettings } from '../options.ts';
import type { ExecutionPort } from '../run/execution.ts';
import { Execution } from '../run/execution.ts';
import { createExecutionPort } from '../run/execution-port.ts';
import { Roster } from '../run/roster.ts';
import { unstartedOutcome } from '../run/unstarted.ts';
import type { Outcome } from '../settle/outcome.ts';
import { LIMITED, RELEASED } from '../settle/outcome.ts';
import { noticeOf } from '../settle/report.ts';
import { latenessOf } from '../settle/run-facts.ts';
import { taskOfRun } from '../task/run-policy.ts';
import type { AnyTask } from '../task/task.ts';
import type { FlowCounts } from './attendance/flow-counts.ts';
import { StartReservations } from './lanes/start-reservations.ts';
import { apply } from './plan/apply.ts';
import { takeLate, takeWaiting } from './plan/plan.ts';
import type { WorkerState } from './plan/worker-state.ts';
import { isSuspect, suspectsToGiveBack } from './recovery/suspects.ts';

/** What the executions need of their engine. */
interface EnginePort {
  readonly state: WorkerState<Execution>;
  /** Now by the broker's clock, in epoch ms. */
  readonly now: () => number;
  /** Called when a run was let through by a hold of the circuit breaker. */
  readonly onProbe: (task: AnyTask) => void;
  /** Called once for each claimed run, with `undefined` when no outcome would be accepted. */
  readonly onEnd: (execution: Execution, outcome: Outcome | undefined) => void;
  /** Called when something may have to be started or claimed, though no run has ended. */
  readonly onChange: () => void;
  readonly flow: Pick<FlowCounts, 'noteStart'>;
  /** Claims of this worker whose settlements have not been answered. */
  readonly settling: () => readonly HeartbeatRequest[];
}

/** The claimed runs of a worker: those whose handlers are running, and those that wait for a slot. */
export class Executions {
  /** Of these runs. */
  readonly leases: Leases;
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #engine: EnginePort;
  readonly #port: ExecutionPort;
  readonly #state: WorkerState<Execution>;
  readonly #all = new Roster<Execution>();
  /** Executions that have lost their lease, and whose handlers have not returned. */
  readonly #leftRunning = new Set<Execution>();
  readonly #reservations: StartReservations;
  #claimedRuns = 0;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter, engine: EnginePort) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#engine = engine;
    this.#port = this.#createPort();
    this.#state = engine.state;
    this.#reservations = this.#createReservations();
    this.leases = new Leases(settings, {
      ...{ emitter, executions: this.#all, settling: engine.settling },
      onChange: () => {
        apply(this.#state, { type: 'heartbeats', areLost: this.leases.areHeartbeatsLost });
        engine.onChange();
      },
      onError: (error, doing) => this.#onError(error, doing),
    });
  }

  /**
   * Takes over claimed runs and starts as many as there are slots.
   *
   * @param sentAt - when they were claimed at the earliest, by the worker's clock
   */
  take(claimed: readonly ClaimedRun[], sentAt: number): void {
    const taken: Execution[] = [];
    const { clock, leaseMs } = this.#settings;
    const [claimedAt, leasedUntil] = [clock.now(), sentAt + leaseMs];
    for (const each of claimed) {
      const { run, isProbe = false } = each;
      const known = this.#settings.tasks.get(run.lane);
      if (known === undefined) continue;
      const runTask = taskOfRun(known, run);
      const { task } = runTask;
      if (isProbe) this.#engine.onProbe(task);
      const order = this.#claimedRuns++;
      const execution = new Execution(task, { run, claimedAt, order, leasedUntil, isProbe }, this.#port);
      this.#all.add(execution);
      apply(this.#state, { type: 'claimed', task });
      const outcome = unstartedOutcome(each, runTask);
      if (this.#state.isStopping) execution.giveBack(0);
      else if (outcome !== undefined) execution.interrupt(outcome, undefined);
      else taken.push(execution);
    }
    this.leases.noteClaimed(taken);
    if (taken.some(isSuspect)) this.#giveBackSuspects(taken);
    apply(this.#state, { type: 'waits', runs: taken, now: claimedAt });
    this.fill();
  }

  /** Starts as many of the runs that wait as there are slots. */
  fill(): void {
    const { slots } = this.#state;
    while (slots.isFree && !this.#state.isStopping) {
      const execution = takeWaiting(this.#state);
      if (execution === undefined) return;
      this.#start(execution);
    }
  }

  /** Gives back, uncharged, the runs that have waited for a slot for too long. */
  giveBackLate(now: number): void {
    giveBackAll(takeLate(this.#state, now));
  }

  /** Gives back, uncharged, the runs of a lane that were claimed in advance, because it is on hold. */
  giveBack(lane: string): void {
    giveBackAll([...this.#all].filter(({ hasStarted, task }) => !hasStarted && task.lane === lane));
  }

  /** Gives back those of the claimed runs that may not be here together. */
  #giveBackSuspects(taken: readonly Execution[]): void {
    const { clock, leaseMs: maxWaitMs } = this.#settings;
    const present = [...this.#all].filter((execution) => isSuspect(execution) && !taken.includes(execution));
    const waiting = suspectsToGiveBack(taken, present, { now: clock.now(), maxWaitMs });
    for (const { execution, delayMs } of [...waiting].reverse())
      execution.interrupt({ type: 'released', delayMs }, undefined);
  }

  /** Starts no more; each run finishes within its time, stalls or is given back, as its task says. */
  stop(): void {
    this.#beginToStop();
    for (const execution of latestFirst(this.#all)) execution.shutDown(this.#settings.shutdownMs);
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

  #createPort(): ExecutionPort {
    return createExecutionPort({
      ...{ settings: this.#settings, emitter: this.#emitter, now: this.#engine.now },
      renewLease: (execution) => this.leases.renew(execution),
      onEnd: (execution, outcome) => this.#end(execution, outcome),
      onRoomFree: (execution) => this.#onRoomFree(execution),
      onHold: (lane) => this.giveBack(lane),
    });
  }

  #createReservations(): StartReservations {
    const settings = this.#settings;
    return new StartReservations({
      settings,
      limits: this.#state.sharedLimits,
      onGranted: (execution) => this.#begin(execution, settings.clock.now()),
      onRefused: (execution) => execution.interrupt(LIMITED, undefined),
      giveBack: (lane) => this.giveBack(lane),
      onError: (error) => this.#onError(error, 'reserving starts'),
      onChange: this.#engine.onChange,
    });
  }

  #start(execution: Execution): void {
    const { task } = execution;
    const now = this.#settings.clock.now();
    if (!this.#state.slots.start(task, now)) return void execution.interrupt(LIMITED, undefined);
    apply(this.#state, { type: 'started', task });
    execution.hasSlot = true;
    if (task.globalRateLimit === undefined) this.#begin(execution, now);
    else this.#reservations.add(execution, now);
  }

  #begin(execution: Execution, now: number): void {
    if (this.#emitter.isObserved('started')) this.#emitStarted(execution, now);
    if (execution.hasEnded) return; // by a listener
    const { run, claimedAt } = execution;
    this.#engine.flow.noteStart(run, latenessOf(run) + now - claimedAt);
    execution.start(now);
    this.leases.noteStart();
  }

  /** Apart from `#start`, because a closure there would cost every run, observed or not. */
  #emitStarted({ task, run, claimedAt }: Execution, now: number): void {
    this.#emitter.emit('started', () =>
      Object.assign(noticeOf(task, run), this.#state.lateness.explain({ run, claimedAt, now })),
    );
  }

  #end(execution: Execution, outcome: Outcome | undefined): void {
    this.#all.remove(execution);
    const countedAt = this.#reservations.leave(execution);
    // Its handler was not called: it is no start of this worker, whose own rate limit has counted it.
    if (countedAt !== undefined) this.#state.slots.takeBackStart(execution.task, countedAt);
    const { task, hasSlot, isRunning, hasStarted } = execution;
    const durationMs = hasStarted ? execution.durationMs : undefined;
    apply(this.#state, { type: 'ended', task, hasSlot, holdsRoom: isRunning, durationMs });
    if (isRunning) this.#keepRoom(execution);
    this.#engine.onEnd(execution, outcome);
    // After the decision, whose gates and patterns may block the event loop: until then the thread renews its lease.
    this.leases.noteEnd(execution);
    this.fill();
  }

  /** Its lease is lost, so it is none of the worker's runs any more; its handler takes its room until it returns. */
  #keepRoom(execution: Execution): void {
    if (this.#state.isStopping) execution.forget();
    else this.#leftRunning.add(execution);
  }

  #onRoomFree(execution: Execution): void {
    if (!this.#leftRunning.delete(execution)) return;
    apply(this.#state, { type: 'room-freed', task: execution.task });
    this.#engine.onChange();
    this.fill();
  }

  #onError(error: unknown, doing: string): void {
    this.#emitter.emit('error', () => ({ error, doing }));
  }
}

function giveBackAll(executions: readonly Execution[]): void {
  for (const execution of latestFirst(executions)) execution.interrupt(RELEASED, undefined);
}

/** The last ones go back first, as those of a later exchange come before them: see `inOrderOfClaims`. */
function latestFirst(executions: Iterable<Execution>): readonly Execution[] {
  return [...executions].reverse();
}
