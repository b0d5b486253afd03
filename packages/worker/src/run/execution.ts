import type { Clock } from '@retry/core';
import { AttemptTimeoutError, TotalTimeoutError } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { settingsOf } from '@retry/core/fields';
import { ShutdownError, StalledError } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import type { LeaseHolder } from '../lease/lease-table.ts';
import type { WorkerSettings } from '../options.ts';
import type { Outcome } from '../settle/outcome.ts';
import { RELEASED } from '../settle/outcome.ts';
import { noticeOf } from '../settle/report.ts';
import { attemptOf, totalStartAt } from '../settle/settlement.ts';
import type { AnyTask } from '../task/task.ts';

/** The worker that executes a run. */
export interface ExecutionHost {
  readonly settings: WorkerSettings;
  readonly emitter: WorkerEmitter;
  /** Called once, with `undefined` when no outcome would be accepted: the handler may still be running then. */
  readonly onEnd: (execution: Execution, outcome: Outcome | undefined) => void;
  /** Called when the handler of an execution that had ended before has returned or was abandoned. */
  readonly onRoomFree: (execution: Execution) => void;
}

/** How long a handler whose `shutdownTimeout` is over has to return, in ms: the process is about to end. */
const LAST_RETURN_MS = 500;

interface ClaimedAt {
  readonly run: Run<'started'>;
  readonly claimedAt: number;
  readonly order: number;
  readonly leasedUntil: number;
  /** Whether it was let through by a hold of the circuit breaker. */
  readonly isProbe: boolean;
}

/**
 * The execution of one claimed run. It ends exactly once: by its handler, a time limit, missing heartbeats or the worker.
 *
 * 1. What stops a running handler aborts its signal, and decides the outcome.
 * 2. The execution ends with that when the handler has returned, or after `abandonAfter`. Until then the run keeps its lease, its
 *    concurrency key and its room in the worker, so that no limit is exceeded by a handler that ignores its signal.
 * 3. What an abandoned handler does has no effect.
 *
 * A lease that is lost ends it immediately, because nothing can be settled; only the room is kept.
 */
export class Execution implements LeaseHolder {
  readonly run: Run<'started'>;
  readonly task: AnyTask;
  /** When its claim was answered, by the worker's clock. */
  readonly claimedAt: number;
  /** The place of its run among all that the worker has claimed. */
  readonly order: number;
  /** Whether it was let through by a hold of the circuit breaker: its outcome decides whether the lane resumes. */
  readonly isProbe: boolean;
  /** Whether it has ended: what its handler does has no effect any more. */
  hasEnded = false;
  /** Whether its handler was called and has neither returned nor been abandoned. */
  isRunning = false;
  /** Whether its handler was called: its attempt begins before that, and may end before that. */
  wasCalled = false;
  /** Whether it has left those that were claimed in advance. */
  hasSlot = false;
  /** Where its lease is written for the thread that renews it, if one does. */
  leaseChunk: LeaseHolder['leaseChunk'];
  leaseIndex = 0;
  /** Until when the run is leased, at least, by the worker's clock. A thread may have renewed it for longer. */
  leasedUntil: number;
  /** What `ctx.retry` or `ctx.release` has thrown last, also for a wrong argument; absent until then. */
  requested: { readonly thrown: unknown } | undefined;
  /** How many calls of `ctx.complete` may have reached its transaction. */
  completions = 0;
  /** Whether the broker has said that its completion is committed: it has no lease any more, and needs none. */
  isCommitted = false;
  /** The executions before and after this one in the worker's roster. */
  before: Execution | undefined;
  after: Execution | undefined;
  readonly #host: ExecutionHost;
  readonly #clock: Clock;
  #controller: AbortController | undefined;
  /** Why the attempt was stopped; absent until then. */
  #stop: { readonly reason: unknown } | undefined;
  #cancelTimeout: (() => void) | undefined;
  #cancelHeartbeatTimer: (() => void) | undefined;
  #cancelShutdownTimer: (() => void) | undefined;
  #startedAt: number | undefined;
  #endedAt: number | undefined;
  #cancelAbandonTimer: (() => void) | undefined;
  #abandonAt = Infinity;
  #isAbandoned = false;
  /** What stopped its handler: its outcome, unless the handler has committed another one. */
  #cut: Outcome | undefined;

  /** @param claim - the claimed run; its instants are by the worker's clock */
  constructor(
    task: AnyTask,
    { run, claimedAt, order, leasedUntil, isProbe }: ClaimedAt,
    host: ExecutionHost,
  ) {
    this.task = task;
    this.run = run;
    this.#host = host;
    this.#clock = host.settings.clock;
    this.claimedAt = claimedAt;
    this.order = order;
    this.leasedUntil = leasedUntil;
    this.isProbe = isProbe;
  }

  /** Whether its lease may end before the next heartbeat: its claim was answered late, or the event loop was blocked since. */
  get isLeaseShort(): boolean {
    return this.leasedUntil - this.#clock.now() < this.#host.settings.heartbeatMs;
  }

  /** Whether it has ended, or ends as soon as its handler returns. */
  get isStopped(): boolean {
    return this.hasEnded || this.#cut !== undefined;
  }

  /** Whether its handler has called `ctx.complete`, other than with what was refused before it reached the transaction. */
  get isCompleting(): boolean {
    return this.completions > 0;
  }

  /** Whether its attempt has begun. */
  get hasStarted(): boolean {
    return this.#startedAt !== undefined;
  }

  /** Milliseconds from its claim until its attempt began, or until now. */
  get waitedMs(): number {
    return Math.max((this.#startedAt ?? this.#clock.now()) - this.claimedAt, 0);
  }

  /** Milliseconds from when its attempt began until now, or until its handler returned or it ended; 0 before. */
  get durationMs(): number {
    if (this.#startedAt === undefined) return 0;
    return (this.#endedAt ?? this.#clock.now()) - this.#startedAt;
  }

  /** Aborts when the attempt has to stop. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController(); // expensive, and most handlers never read their signal
      if (this.#stop !== undefined) this.#controller.abort(this.#stop.reason);
    }
    return this.#controller.signal;
  }

  /** Milliseconds left of the timeout and of the total time; `Infinity` without either. */
  get remainingMs(): number {
    return Math.max(
      Math.min(settingsOf(this.task.retry).attemptTimeoutMs - this.durationMs, this.#totalLeftMs),
      0,
    );
  }

  /** What is left of the policy's total time. The run's instants are the broker's, so only their differences are used. */
  get #totalLeftMs(): number {
    const { startedAt = 0 } = this.run;
    const usedMs = startedAt - totalStartAt(this.run, startedAt, this.waitedMs);
    return settingsOf(this.task.retry).totalTimeoutMs - usedMs - (this.#clock.now() - this.claimedAt);
  }

  /**
   * Begins the attempt's time. @param now - by the worker's clock @returns whether its handler is to be called: there may be no time left
   */
  start(now: number): boolean {
    this.#startedAt = now;
    this.#startTimeout();
    if (this.hasEnded) return false;
    this.heartbeat();
    this.isRunning = true;
    return true;
  }

  /** Limits the attempt to its timeout or to what is left of the total time; ends it when nothing is left. */
  #startTimeout(): void {
    const { attemptTimeoutMs, totalTimeoutMs } = settingsOf(this.task.retry);
    if (attemptTimeoutMs === Infinity && totalTimeoutMs === Infinity) return;
    const leftMs = this.#totalLeftMs;
    const clock = this.#clock;
    if (leftMs <= 0) this.#onTotalTimeout();
    else if (leftMs < Infinity && leftMs <= attemptTimeoutMs)
      this.#cancelTimeout = clock.setTimer(() => this.#onTotalTimeout(), leftMs);
    else if (attemptTimeoutMs < Infinity)
      this.#cancelTimeout = clock.setTimer(() => this.#onTimeout(), attemptTimeoutMs);
  }

  /** Restarts the interval within which the handler has to send its next heartbeat. */
  heartbeat(): void {
    const { heartbeatMs } = this.task;
    if (this.#endedAt !== undefined || heartbeatMs === Infinity) return;
    this.#cancelHeartbeatTimer?.();
    this.#cancelHeartbeatTimer = this.#clock.setTimer(() => this.#onMissedHeartbeat(), heartbeatMs);
  }

  /**
   * Notes that its handler has returned, where its end waits for an answer of others. That is no time of the handler: neither a time limit
   * nor a missed heartbeat replaces what it has thrown, and it is not abandoned.
   */
  noteReturn(): void {
    this.#stopTime();
    this.#cancelAbandonTimer?.();
    this.#abandonAt = Infinity;
  }

  /** Ends it with the outcome of its handler, which has returned, or with what has stopped that before. */
  end(outcome: Outcome): void {
    this.isRunning = false;
    if (!this.hasEnded) this.#end(this.#outcomeAfter(outcome));
    else if (this.#isAbandoned) this.#noteLateReturn(outcome);
    else this.#leaveRoom();
  }

  #noteLateReturn(outcome: Outcome): void {
    this.#endedAt = this.#clock.now();
    const { task, run, durationMs } = this;
    const error = 'error' in outcome ? { error: outcome.error } : {};
    this.#host.emitter.emit('returnedLate', () => ({ ...noticeOf(task, run), durationMs, ...error }));
  }

  /** Ends it because a call inside it was cut at the end of its time: which of the two timers fires first is chance. */
  expire(error: unknown): void {
    if (this.isStopped) {
      this.end({ type: 'failed', error, isTimeout: false });
      return;
    }
    const { attemptTimeoutMs } = settingsOf(this.task.retry);
    this.isRunning = false;
    if (this.#totalLeftMs <= attemptTimeoutMs - this.durationMs) this.#onTotalTimeout();
    else this.#onTimeout();
  }

  /** A stopping worker gives back, or stalls, what has not finished: what returns in time anyway has. */
  #outcomeAfter(outcome: Outcome): Outcome {
    if (this.#cut === undefined) return outcome;
    const isCommitted = outcome.type === 'completed' && outcome.isCommitted === true;
    const isShutDown = this.#cut.type !== 'cancelled' && this.#stop?.reason instanceof ShutdownError;
    const isFinished = isShutDown && outcome.type !== 'failed';
    return isCommitted || isFinished ? outcome : this.#cut;
  }

  /**
   * Ends it with an outcome that the worker chose; its signal aborts. A handler that is running has time to return first. The first
   * outcome counts, except that a cancelled run is not retried.
   *
   * @param graceMs - how long the handler may take to return
   */
  interrupt(outcome: Outcome, reason: unknown, graceMs: number = this.#abandonMs): void {
    if (this.hasEnded) return;
    const isFirst = this.#cut === undefined;
    if (isFirst || outcome.type === 'cancelled') this.#cut = outcome;
    if (!this.isRunning) this.#end(outcome);
    else this.#abandonWithin(graceMs);
    if (isFirst) this.#abort(reason);
  }

  get #abandonMs(): number {
    return this.task.abandonMs ?? this.#host.settings.abandonMs;
  }

  /** Ends it without waiting any longer for its handler after `graceMs`, or sooner, if that was said before. */
  #abandonWithin(graceMs: number): void {
    const clock = this.#clock;
    const abandonAt = clock.now() + graceMs;
    if (abandonAt >= this.#abandonAt) return;
    this.#abandonAt = abandonAt;
    this.#cancelAbandonTimer?.();
    this.#cancelAbandonTimer = clock.setTimer(() => this.#abandon(), graceMs);
  }

  #abandon(): void {
    this.isRunning = false;
    this.#isAbandoned = true;
    this.#endedAt = this.#clock.now();
    const { task, run, durationMs } = this;
    const error = this.#stop?.reason;
    this.#host.emitter.emit('abandoned', () => ({ ...noticeOf(task, run), durationMs, error }));
    if (this.hasEnded) this.#leaveRoom();
    else this.#end(this.#cut);
  }

  /** Frees the room of an execution whose lease was lost before. */
  #leaveRoom(): void {
    this.#cancelAbandonTimer?.();
    this.#host.onRoomFree(this);
  }

  /**
   * Ends it because its worker stops, as its task says: its handler may finish, it stalls, or its run is given back.
   *
   * @param usualMs - how long a handler may take to finish where the task does not say
   */
  shutDown(usualMs: number): void {
    const { onShutdown, shutdownMs = usualMs } = this.task;
    const graceMs = Math.min(this.#abandonMs, shutdownMs);
    if (!this.hasStarted || onShutdown === 'release') this.giveBack(graceMs);
    else if (onShutdown === 'finish') this.#finishWithin(shutdownMs);
    else {
      const error = new StalledError('the worker stopped');
      this.interrupt({ type: 'stalled', error }, new ShutdownError(), graceMs);
    }
  }

  /** Lets the handler run for at most `finishMs` more; then its run is given back. */
  #finishWithin(finishMs: number): void {
    if (this.hasEnded || finishMs === Infinity) return;
    const graceMs = Math.min(this.#abandonMs, LAST_RETURN_MS);
    this.#cancelShutdownTimer = this.#clock.setTimer(() => this.giveBack(graceMs), finishMs);
  }

  /** Gives its run back because its worker stops. @param graceMs - how long the handler may take to return */
  giveBack(graceMs: number): void {
    this.interrupt(RELEASED, new ShutdownError(), graceMs);
  }

  /** Ends it without an outcome, because none would be accepted. @returns `false` when it had already ended */
  loseLease(reason: unknown): boolean {
    if (this.hasEnded) return false;
    if (this.isRunning) this.#abandonWithin(this.#abandonMs);
    this.#end(undefined);
    this.#abort(reason);
    return true;
  }

  /** Waits for its handler no longer, because its worker stops. */
  forget(): void {
    this.#cancelAbandonTimer?.();
  }

  #abort(reason: unknown): void {
    this.#stop = { reason };
    this.#controller?.abort(reason);
  }

  #onTimeout(): void {
    const error = new AttemptTimeoutError(settingsOf(this.task.retry).attemptTimeoutMs, attemptOf(this.run));
    this.interrupt({ type: 'failed', error, isTimeout: true }, error);
  }

  #onTotalTimeout(): void {
    const error = new TotalTimeoutError(settingsOf(this.task.retry).totalTimeoutMs, attemptOf(this.run));
    this.interrupt({ type: 'failed', error, isTimeout: true, isOutOfTime: true }, error);
  }

  #onMissedHeartbeat(): void {
    const error = new StalledError(`the handler sent no heartbeat for ${this.task.heartbeatMs} ms`);
    this.interrupt({ type: 'stalled', error }, error);
  }

  #stopTime(): void {
    if (this.#startedAt !== undefined) this.#endedAt ??= this.#clock.now();
    this.#cancelTimeout?.();
    this.#cancelHeartbeatTimer?.();
  }

  #end(outcome: Outcome | undefined): void {
    this.hasEnded = true;
    this.#stopTime();
    this.#cancelShutdownTimer?.();
    if (!this.isRunning) this.#cancelAbandonTimer?.();
    this.#host.onEnd(this, outcome);
  }
}
