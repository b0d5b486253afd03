import type { Clock } from '@retry/core';
import { AttemptTimeoutError } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { StalledError } from '../errors.ts';
import type { AnyTask, Completion } from '../task/task.ts';
import type { Outcome } from './outcome.ts';
import { runHandler } from './run-handler.ts';
import { attemptOf } from './settle-outcome.ts';

/** What executions need from their worker: one for all of them, as there are many. */
export interface ExecutionPort {
  readonly clock: Clock;
  readonly log: (execution: Execution, message: string, details: unknown) => void;
  /** Settles the run inside a transaction of its handler's. */
  readonly complete: (execution: Execution, completion: Completion) => Promise<void>;
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
  readonly #claimedAt: number;
  #startedAt: number | undefined;
  #hasEnded = false;

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

  /** Settles it inside a transaction of its handler's; the handler goes on. */
  complete(completion: Completion): Promise<void> {
    return this.#port.complete(this, completion);
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

  /** Milliseconds left of the timeout; `Infinity` without one. */
  get remainingMs(): number {
    return Math.max(this.task.timeoutMs - this.durationMs, 0);
  }

  /** Calls the handler. */
  start(): void {
    this.#startedAt = this.#port.clock.now();
    const { timeoutMs } = this.task;
    if (timeoutMs < Infinity) {
      this.#cancelTimeout = this.#port.clock.setTimer(() => this.#onTimeout(), timeoutMs);
    }
    this.heartbeat();
    void runHandler(this).then((outcome) => this.#end(outcome));
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

  #onSilence(): void {
    const error = new StalledError(`the handler gave no heartbeat for ${this.task.heartbeatMs} ms`);
    this.interrupt({ type: 'stalled', error }, error);
  }

  #end(outcome: Outcome | undefined): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    this.#cancelTimeout?.();
    this.#cancelSilence?.();
    this.#port.onEnd(this, outcome);
    return true;
  }
}
