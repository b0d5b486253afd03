import type { Clock } from '@retry/core';
import { AttemptTimeoutError, TotalTimeoutError } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { ShutdownError, StalledError } from '../errors.ts';
import type { AnyTask, Completion } from '../task/task.ts';
import type { Outcome } from './outcome.ts';
import { readCompletion } from './read-requests.ts';
import { runHandler } from './run-handler.ts';
import { attemptOf, totalStartAt } from './settle-outcome.ts';

/** What executions need from their worker: one for all of them, as there are many. */
export interface ExecutionPort {
  readonly clock: Clock;
  readonly log: (execution: Execution, message: string, details: unknown) => void;
  /** Settles the run inside a transaction of its handler's. */
  readonly complete: (execution: Execution, completion: Completion) => Promise<void>;
  /** Whether the transaction has committed in which its handler completed it. */
  readonly hasCommitted: (execution: Execution) => Promise<boolean>;
  /** Called once, with `undefined` when the execution was abandoned. */
  readonly onEnd: (execution: Execution, outcome: Outcome | undefined) => void;
}

/**
 * One claimed run on its way through its handler. It ends once: by the handler, its timeout, its silence, or
 * the worker. What the handler does after that is not heard.
 */
export class Execution {
  readonly run: Run<'started'>;
  readonly task: AnyTask;
  readonly #port: ExecutionPort;
  #controller: AbortController | undefined;
  /** Why the attempt is to stop, once it is. */
  #stop: { readonly reason: unknown } | undefined;
  #cancelTimeout: (() => void) | undefined;
  #cancelSilence: (() => void) | undefined;
  #cancelGrace: (() => void) | undefined;
  readonly #claimedAt: number;
  #startedAt: number | undefined;
  #hasEnded = false;
  #isCompleting = false;

  constructor(task: AnyTask, run: Run<'started'>, port: ExecutionPort) {
    this.task = task;
    this.run = run;
    this.#port = port;
    this.#claimedAt = port.clock.now();
  }

  /** Whether it has ended: nothing that its handler does is heard any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether its handler asked to complete it in a transaction of its own. */
  get isCompleting(): boolean {
    return this.#isCompleting;
  }

  /** Settles it inside a transaction of its handler's, which runs on. @throws {InvalidOptionsError} when that is wrong */
  async complete(completion: Completion): Promise<void> {
    const read = readCompletion(completion);
    this.#isCompleting = true;
    await this.#port.complete(this, read);
  }

  /** Whether the transaction has committed in which its handler completed it. */
  hasCommitted(): Promise<boolean> {
    return this.#port.hasCommitted(this);
  }

  /** A line for the worker's `log` event. */
  log(message: string, details: unknown): void {
    this.#port.log(this, message, details);
  }

  /** Whether its handler was called. */
  get hasStarted(): boolean {
    return this.#startedAt !== undefined;
  }

  /** Milliseconds since it was claimed, by the worker's clock. */
  get ageMs(): number {
    return this.#port.clock.now() - this.#claimedAt;
  }

  /** Milliseconds since its handler was called; 0 before. */
  get durationMs(): number {
    const now = this.#port.clock.now();
    return now - (this.#startedAt ?? now);
  }

  /** Aborts when the attempt is to stop. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController(); // dear, and most handlers never ask
      if (this.#stop !== undefined) this.#controller.abort(this.#stop.reason);
    }
    return this.#controller.signal;
  }

  /** Milliseconds left of the timeout and of the total time; `Infinity` without either. */
  get remainingMs(): number {
    return Math.max(Math.min(this.task.timeoutMs - this.durationMs, this.#totalLeftMs), 0);
  }

  /** What is left of the policy's total time. The run brings instants of the broker's clock; only their distance counts. */
  get #totalLeftMs(): number {
    const { startedAt = 0 } = this.run;
    const usedMs = startedAt - totalStartAt(this.run, startedAt);
    return this.task.retry.totalTimeoutMs - usedMs - this.ageMs;
  }

  /** Calls the handler. */
  start(): void {
    this.#startedAt = this.#port.clock.now();
    this.#limitTime();
    if (this.#hasEnded) return;
    this.heartbeat();
    void runHandler(this).then((outcome) => this.#end(outcome));
  }

  /** Cuts the attempt at its timeout or at what is left of the total time; immediately when nothing is. */
  #limitTime(): void {
    const { timeoutMs } = this.task;
    const leftMs = this.#totalLeftMs;
    const { clock } = this.#port;
    if (leftMs <= 0) this.#onTotalTimeout();
    else if (leftMs < Infinity && leftMs <= timeoutMs)
      this.#cancelTimeout = clock.setTimer(() => this.#onTotalTimeout(), leftMs);
    else if (timeoutMs < Infinity) this.#cancelTimeout = clock.setTimer(() => this.#onTimeout(), timeoutMs);
  }

  /** The handler is alive. */
  heartbeat(): void {
    const { heartbeatMs } = this.task;
    if (this.#hasEnded || heartbeatMs === Infinity) return;
    this.#cancelSilence?.();
    this.#cancelSilence = this.#port.clock.setTimer(() => this.#onSilence(), heartbeatMs);
  }

  /** Ends it with an outcome of the worker's own; its signal aborts. */
  interrupt(outcome: Outcome, reason: unknown): void {
    if (this.#end(outcome)) this.#abort(reason);
  }

  /** Lets the handler run on for so long; then it is given back. */
  finishWithin(graceMs: number): void {
    if (this.#hasEnded || graceMs === Infinity) return;
    const giveBack = (): void => this.interrupt({ type: 'released' }, new ShutdownError());
    this.#cancelGrace = this.#port.clock.setTimer(giveBack, graceMs);
  }

  /** Ends it without an outcome: nobody would hear one. Gives false when it had ended before. */
  abandon(reason: unknown): boolean {
    const hasEndedNow = this.#end(undefined);
    if (hasEndedNow) this.#abort(reason);
    return hasEndedNow;
  }

  #abort(reason: unknown): void {
    this.#stop = { reason };
    this.#controller?.abort(reason);
  }

  #onTimeout(): void {
    const error = new AttemptTimeoutError(this.task.timeoutMs, attemptOf(this.run));
    this.interrupt({ type: 'failed', error, isTimeout: true }, error);
  }

  #onTotalTimeout(): void {
    const error = new TotalTimeoutError(this.task.retry.totalTimeoutMs, attemptOf(this.run));
    this.interrupt({ type: 'failed', error, isTimeout: true, isOutOfTime: true }, error);
  }

  #onSilence(): void {
    const error = new StalledError(`the handler gave no heartbeat for ${this.task.heartbeatMs} ms`);
    this.interrupt({ type: 'stalled', error }, error);
  }

  #end(outcome: Outcome | undefined): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    this.#cancelTimeout?.();
    this.#cancelSilence?.();
    this.#cancelGrace?.();
    this.#port.onEnd(this, outcome);
    return true;
  }
}
