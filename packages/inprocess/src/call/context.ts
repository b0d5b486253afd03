import type { Duration } from '@retry/core';
import { RetryAfterError } from '@retry/core';
import type { Attempt, CallView, Wish } from './attempt.ts';

/** What the function of `retry` is told about the attempt it is. Its members may be taken out of it. */
export interface AttemptContext {
  /** The call's own name, the same for all of its attempts: an idempotency key. */
  readonly id: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** Attempts in all, the first included; may be `Infinity`. */
  readonly maxAttempts: number;
  /** Whether no further attempt can follow this one. */
  readonly isLast: boolean;
  /** What the attempt before threw; `undefined` in the first. */
  readonly previousError: unknown;
  /** Aborts when this attempt is to stop: its timeout, the deadline or the caller. Fresh for each attempt. */
  readonly signal: AbortSignal;
  /** Milliseconds since the call began, waits included. */
  readonly elapsedMs: number;
  /** Milliseconds until this attempt is cut off, `0 ≤ ms ≤ Infinity`. */
  readonly remainingMs: number;
  /** Throws `error`, and makes it the last: the call rejects with it whatever the policy says. */
  readonly stop: (error: unknown) => never;
  /** Throws `error`, and asks for at least `delay` before the next attempt, as a server's `Retry-After` does. */
  readonly retryAfter: (delay: Duration, error: unknown) => never;
}

/** One attempt that is told about itself; makes its AbortController only when somebody asks for the signal. */
export class ToldAttempt implements Attempt, AttemptContext {
  readonly call: CallView;
  readonly attempt: number;
  readonly previousError: unknown;
  readonly timeoutMs: number;
  readonly totalMs: number | undefined;
  readonly startedAt: number;
  isTimedOut = false;
  wish: Wish | undefined;
  /** Why it was stopped, until somebody asks for the signal. One field, as every attempt pays for each. */
  #abort: AbortController | { readonly reason: unknown } | undefined;

  constructor(start: Attempt) {
    this.call = start.call;
    this.attempt = start.attempt;
    this.previousError = start.previousError;
    this.timeoutMs = start.timeoutMs;
    this.totalMs = start.totalMs;
    this.startedAt = start.startedAt;
  }

  get id(): string {
    return this.call.id;
  }

  get maxAttempts(): number {
    return this.call.maxAttempts;
  }

  get isLast(): boolean {
    return this.attempt >= this.maxAttempts;
  }

  get elapsedMs(): number {
    return Math.max(this.call.clock.now() - this.call.startedAt, 0);
  }

  get remainingMs(): number {
    if (this.timeoutMs === Infinity) return Infinity;
    return Math.max(this.startedAt + this.timeoutMs - this.call.clock.now(), 0);
  }

  get signal(): AbortSignal {
    if (this.#abort instanceof AbortController) return this.#abort.signal;
    const controller = new AbortController();
    if (this.#abort !== undefined) controller.abort(this.#abort.reason);
    this.#abort = controller;
    return controller.signal;
  }

  get stop(): (error: unknown) => never {
    return (error) => {
      this.wish = { type: 'stop', error };
      throw error;
    };
  }

  get retryAfter(): (delay: Duration, error: unknown) => never {
    return (delay, error) => {
      this.wish = { type: 'retry-after', delayMs: new RetryAfterError(delay).delayMs };
      throw error;
    };
  }

  /** Tells the attempt to stop; a signal asked for later is born aborted. */
  interrupt(reason: unknown): void {
    if (this.#abort instanceof AbortController) this.#abort.abort(reason);
    else this.#abort ??= { reason };
  }
}

/** An attempt whose function is given it as its context. */
export function tellAttempt(attempt: Attempt): ToldAttempt {
  return new ToldAttempt(attempt);
}
