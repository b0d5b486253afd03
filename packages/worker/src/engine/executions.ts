import type { ClaimedRun, HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { isRefused } from '../broker.ts';
import { CancelledError, LeaseLostError, ShutdownError } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import { LeaseGuard } from '../lease/lease-guard.ts';
import type { WorkerSettings } from '../options.ts';
import { CancelWatch } from '../run/cancel-watch.ts';
import type { ExecutionPort } from '../run/execution.ts';
import { Execution } from '../run/execution.ts';
import { createExecutionPort } from '../run/execution-port.ts';
import { sendHeartbeats } from '../run/heartbeats.ts';
import { unstartedOutcome } from '../run/unstarted.ts';
import type { Outcome } from '../settle/outcome.ts';
import { noticeOf } from '../settle/report.ts';
import { latenessOf } from '../settle/run-facts.ts';
import { taskOfRun } from '../task/run-policy.ts';
import type { AnyTask } from '../task/task.ts';
import type { FlowCounts } from './attendance/flow-counts.ts';
import type { WorkerLoad } from './attendance/worker-report.ts';
import { Capacity } from './capacity.ts';
import { Isolations } from './isolation/isolations.ts';
import type { SharedLimit } from './lanes/shared-limit.ts';
import { createSharedLimits } from './lanes/shared-limit.ts';
import type { Room } from './lanes/slots.ts';
import { Slots } from './lanes/slots.ts';
import { StartReservations } from './lanes/start-reservations.ts';
import { Lateness } from './lateness.ts';
import { mostPrefetched, PrefetchEstimate } from './prefetch.ts';
import { Prefetched } from './prefetched.ts';

/** The outcome of an execution whose run the worker gives back. */
const RELEASED: Outcome = { type: 'released' };

/** The outcome of an execution that a limit keeps from starting. */
const LIMITED: Outcome = { type: 'limited' };

/** What the executions need of their engine. */
interface EnginePort {
  /** Now by the broker's clock, in epoch ms. */
  readonly now: () => number;
  /** Called when a run was let through by a hold of the circuit breaker. */
  readonly onProbe: (task: AnyTask) => void;
  /** Called once for each claimed run, with `undefined` when no outcome would be accepted. */
  readonly onEnd: (execution: Execution, outcome: Outcome | undefined) => void;
  /** Called when something may have to be started or claimed, though no run has ended. */
  readonly onChange: () => void;
  readonly flow: Pick<FlowCounts, 'noteStart'>;
}

/** The claimed runs of a worker: those whose handlers are running, and those that wait for a slot. */
export class Executions {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #engine: EnginePort;
  readonly #port: ExecutionPort;
  readonly #estimate: PrefetchEstimate;
  readonly #slots: Slots;
  readonly #cancelWatch: CancelWatch;
  readonly #all = new Set<Execution>();
  readonly #prefetched: Prefetched;
  readonly #reservations: StartReservations;
  /** Runs that may end the process, which run without others. */
  readonly #isolations: Isolations;
  readonly #lateness: Lateness = new Lateness();
  readonly #capacity: Capacity;
  readonly #leaseGuard: LeaseGuard;
  /** Leases may be lost before long: the broker did not answer the latest heartbeats. */
  #areHeartbeatsLost = false;
  #isStopping = false;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter, engine: EnginePort) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#engine = engine;
    this.#port = createExecutionPort({
      ...{ settings, emitter, now: engine.now },
      onEnd: (execution, outcome) => this.#end(execution, outcome),
      onHold: (lane) => this.giveBack(lane),
    });
    const { clock, leaseMs } = settings;
    const capacity = settings.concurrency + mostPrefetched(settings.prefetch);
    this.#isolations = new Isolations({ clock, leaseMs, capacity, onDue: engine.onChange });
    this.#estimate = new PrefetchEstimate(settings);
    this.#prefetched = new Prefetched({
      clock,
      giveBack: (executions, waitedMs) => {
        this.#estimate.noteGivenBack(waitedMs);
        giveBackAll(executions);
      },
    });
    const limits = createSharedLimits(settings.tasks.values(), engine.now);
    this.#slots = new Slots(settings.tasks.values(), settings, limits);
    this.#reservations = this.#createReservations(limits);
    const [slots, estimate, lateness] = [this.#slots, this.#estimate, this.#lateness];
    this.#capacity = new Capacity({ settings, slots, estimate, lateness });
    this.#cancelWatch = this.#createCancelWatch();
    this.#leaseGuard = this.#createLeaseGuard();
  }

  /** By whom leases are renewed while the event loop is blocked. */
  get leaseRenewal(): 'thread' | 'loop' {
    return this.#leaseGuard.by;
  }

  /** Whether every claimed run has ended. */
  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** How many runs it has. */
  get load(): WorkerLoad {
    return { running: this.#slots.running, leases: this.#all.size };
  }

  /** Subscribes to cancel requests. */
  open(): void {
    this.#cancelWatch.open();
  }

  /** Begins to guard leases. */
  guard(): void {
    this.#leaseGuard.open();
  }

  /** Leaves neither listener nor timer behind. */
  close(): void {
    this.#cancelWatch.close();
    this.#leaseGuard.close();
  }

  /** The claims that this worker holds. */
  claims(): readonly HeartbeatRequest[] {
    return [...this.#all].map(({ run: { id, epoch } }) => ({ id, epoch }));
  }

  /** What the worker may claim. */
  get capacity(): Omit<Capacity, 'room'> {
    return this.#capacity;
  }

  /** Returns how many runs may be claimed now; `undefined` when none may be. */
  room(): Room | undefined {
    const isClosed = this.#isolations.isActive || (this.#areHeartbeatsLost && !this.isEmpty);
    return this.#isStopping ? undefined : this.#capacity.room({ isClosed });
  }

  /**
   * Starts the isolated group, if there is one and it may run now.
   *
   * @param isQuiet - every settlement is answered and no exchange is pending
   */
  openIsolation({ isQuiet }: { readonly isQuiet: boolean }): void {
    this.#isolations.endOverdue();
    if (!isQuiet || this.#isStopping) return;
    const group = this.#isolations.open({ isAlone: this.#slots.running === 0 });
    if (group === undefined) return;
    this.#prefetched.push(group);
    this.#fill();
  }

  /** Takes over claimed runs and starts as many as there are slots. */
  take(claimed: readonly ClaimedRun[]): void {
    const taken: Execution[] = [];
    const claimedAt = this.#settings.clock.now();
    for (const each of claimed) {
      const { run, isProbe = false } = each;
      const known = this.#settings.tasks.get(run.lane);
      if (known === undefined) continue;
      const runTask = taskOfRun(known, run);
      const { task } = runTask;
      if (isProbe) this.#engine.onProbe(task);
      const execution = new Execution(task, { run, claimedAt, isProbe }, this.#port);
      this.#all.add(execution);
      this.#slots.take(task, 'prefetched');
      const outcome = unstartedOutcome(each, runTask);
      if (this.#isStopping) execution.interrupt(RELEASED, new ShutdownError());
      else if (outcome !== undefined) execution.interrupt(outcome, undefined);
      else taken.push(execution);
    }
    for (const execution of taken) this.#leaseGuard.noteClaimed(execution);
    this.#enqueue(taken);
    this.#fill();
  }

  /** Gives back, uncharged, the runs of a lane that were claimed in advance, because it is on hold. */
  giveBack(lane: string): void {
    giveBackAll([...this.#all].filter(({ hasStarted, task }) => !hasStarted && task.lane === lane));
  }

  /** Lets claimed runs wait for slots; if some of them have to be isolated, gives back all others. */
  #enqueue(taken: readonly Execution[]): void {
    if (taken.length === 0) return;
    if (this.#isolations.isActive) {
      giveBackAll(taken);
      return;
    }
    const group = this.#isolations.begin(taken);
    if (group === undefined) {
      this.#prefetched.push(taken);
      return;
    }
    const others = taken.filter((execution) => !group.includes(execution));
    giveBackAll([...this.#prefetched.clear(), ...others]);
  }

  /** Extends all leases and applies the broker's answers. */
  async heartbeat(): Promise<void> {
    const { broker, leaseMs } = this.#settings;
    let areLost = false;
    await sendHeartbeats([...this.#all], {
      broker,
      leaseMs,
      onAnswer: (execution, answer) => this.#onHeartbeatAnswer(execution, answer),
      onError: (error) => {
        areLost ||= !isRefused(broker, error);
        this.#onError(error, 'heartbeating');
      },
    });
    if (areLost === this.#areHeartbeatsLost) return;
    this.#areHeartbeatsLost = areLost;
    this.#engine.onChange();
  }

  /** Starts no more; each run finishes within its time, stalls or is given back, as its task says. */
  stop(): void {
    this.#isStopping = true;
    this.#prefetched.clear();
    for (const execution of [...this.#all]) execution.shutDown(this.#settings.shutdownMs);
  }

  /** Gives back every run that has not ended. */
  stopNow(): void {
    this.#isStopping = true;
    this.#prefetched.clear();
    for (const execution of [...this.#all]) execution.interrupt(RELEASED, new ShutdownError());
  }

  #createReservations(limits: ReadonlyMap<string, SharedLimit>): StartReservations {
    const settings = this.#settings;
    return new StartReservations({
      settings,
      limits,
      onGranted: (execution) => this.#begin(execution, settings.clock.now()),
      onRefused: (execution) => execution.interrupt(LIMITED, undefined),
      giveBack: (lane) => this.giveBack(lane),
      onError: (error) => this.#onError(error, 'reserving starts'),
      onChange: this.#engine.onChange,
    });
  }

  #createLeaseGuard(): LeaseGuard {
    return new LeaseGuard(this.#settings, {
      emitter: this.#emitter,
      executions: () => this.#all,
      onAnswer: (execution, answer) => this.#onHeartbeatAnswer(execution, answer),
    });
  }

  #createCancelWatch(): CancelWatch {
    const { broker, clock } = this.#settings;
    return new CancelWatch({
      broker,
      clock,
      executions: () => [...this.#all],
      onCancel: (execution) => cancel(execution),
      onError: (error) => this.#onError(error, 'asking for cancel requests'),
    });
  }

  #fill(): void {
    while (this.#slots.isFree && !this.#isStopping) {
      const execution = this.#prefetched.shift();
      if (execution === undefined) break;
      this.#start(execution);
    }
    this.#prefetched.watch();
  }

  #start(execution: Execution): void {
    const { task } = execution;
    const now = this.#settings.clock.now();
    if (!this.#slots.start(task, now)) {
      execution.interrupt(LIMITED, undefined);
      return;
    }
    this.#slots.free(task, 'prefetched');
    this.#slots.take(task, 'running');
    if (task.globalRateLimit === undefined) this.#begin(execution, now);
    else this.#reservations.add(execution);
  }

  #begin(execution: Execution, now: number): void {
    if (this.#emitter.isObserved('started')) this.#emitStarted(execution, now);
    const { run, claimedAt } = execution;
    this.#engine.flow.noteStart(run, latenessOf(run) + now - claimedAt);
    execution.start(now);
    this.#cancelWatch.arm();
  }

  /** Apart from `#start`, because a closure there would cost every run, observed or not. */
  #emitStarted({ task, run, claimedAt }: Execution, now: number): void {
    this.#emitter.emit('started', () =>
      Object.assign(noticeOf(task, run), this.#lateness.explain({ run, claimedAt, now })),
    );
  }

  #end(execution: Execution, outcome: Outcome | undefined): void {
    this.#all.delete(execution);
    this.#leaseGuard.noteEnd(execution);
    const hadSlot = execution.hasStarted || this.#reservations.leave(execution);
    this.#slots.free(execution.task, hadSlot ? 'running' : 'prefetched');
    if (execution.hasStarted) this.#estimate.noteEnd(execution.durationMs);
    this.#isolations.leave(execution);
    this.#engine.onEnd(execution, outcome);
    this.#fill();
  }

  #onHeartbeatAnswer(execution: Execution, answer: HeartbeatAnswer | undefined): void {
    if (answer === 'cancel') cancel(execution);
    if (answer !== 'fenced' && answer !== 'gone') return;
    // It may have ended and been settled while the heartbeat was pending.
    if (!execution.abandon(new LeaseLostError())) return;
    this.#emitter.emit('fenced', () => ({ ...noticeOf(execution.task, execution.run), answer }));
  }

  #onError(error: unknown, doing: string): void {
    this.#emitter.emit('error', () => ({ error, doing }));
  }
}

function cancel(execution: Execution): void {
  execution.interrupt({ type: 'cancelled' }, new CancelledError());
}

function giveBackAll(executions: readonly Execution[]): void {
  for (const execution of executions) execution.interrupt(RELEASED, undefined);
}
