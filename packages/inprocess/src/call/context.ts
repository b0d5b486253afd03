import type { Duration } from '@retry/core';
import { RetryAfterError } from '@retry/core';
import { allowedAttempts, withCause } from '@retry/core/fields';
import type { Attempt, AttemptLimit, Call, Directive } from './plan.ts';

/** The context that the function of `retry` receives. Its members may be destructured. */
export interface AttemptContext {
  /** The call's own id, the same for all of its attempts: can serve as an idempotency key. */
  readonly id: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** The number of attempts, the first included; may be `Infinity`. */
  readonly maxAttempts: number;
  /** Whether no further attempt can follow this one. */
  readonly isLast: boolean;
  /** What the attempt before threw, or a `RefusedResultError`; `undefined` in the first. */
  readonly previousError: unknown;
  /** Aborts on this attempt's timeout, the total timeout and the caller's abort. Each attempt has its own. */
  readonly signal: AbortSignal;
  /** Milliseconds since the call began, waits included. */
  readonly elapsedMs: number;
  /** Milliseconds until this attempt is cut off, `0 ≤ ms ≤ Infinity`; `Infinity` once it has ended by itself. */
  readonly remainingMs: number;
  /** Throws `error` and ends the retrying: the call rejects with it whatever the policy says. */
  readonly stop: (error: unknown) => never;
  /** Throws `error` and asks for at least `delay` before the next attempt, as a server's `Retry-After` does. */
  readonly retryAfter: (delay: Duration, error: unknown) => never;
}

/** An attempt that is its own context. Its AbortController is created when the signal is first read. */
export class AttemptWithContext implements Attempt, AttemptContext {
  readonly call: Call;
  readonly attempt: number;
  readonly previousError: unknown;
  readonly timeoutMs: number;
  readonly isTotal: boolean;
  readonly startedAt: number;
  isTimedOut = false;
  directive: Directive | undefined;
  /** The reason of an abort before the signal was read. One field for both, because every attempt pays for each field. */
  #abort: AbortController | { readonly reason: unknown } | undefined;

  constructor(call: Call, { timeoutMs, isTotal, startedAt }: AttemptLimit) {
    this.call = call;
    this.attempt = call.attempts;
    this.previousError = call.latest?.error;
    this.timeoutMs = timeoutMs;
    this.isTotal = isTotal;
    this.startedAt = startedAt;
  }

  get id(): string {
    return this.call.id;
  }

  get maxAttempts(): number {
    return allowedAttempts(this.call.plan.policy);
  }

  get isLast(): boolean {
    return this.attempt >= this.maxAttempts;
  }

  get elapsedMs(): number {
    return this.call.elapsedMs(this.call.clock.now());
  }

  get remainingMs(): number {
    // One that has ended is cut off no more, though the source of an iterable goes on.
    if (this.timeoutMs === Infinity || !this.binds) return Infinity;
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
      this.directive = { type: 'stop', error };
      throw error;
    };
  }

  get retryAfter(): (delay: Duration, error: unknown) => never {
    return (delay, error) => {
      this.directive = readRequest(delay, error);
      throw this.directive.type === 'stop' ? this.directive.error : error;
    };
  }

  /** What a log says of it: its fields lead to the call, and from there in circles. */
  toJSON(): Partial<AttemptContext> {
    const { id, attempt, maxAttempts, isLast, elapsedMs, remainingMs } = this;
    return { id, attempt, maxAttempts, isLast, elapsedMs, remainingMs };
  }

  /** Whether calls made in it are its own: not once it has ended by itself, what it left behind is free. */
  get binds(): boolean {
    return this.call.running === this || this.isInterrupted;
  }

  /** Whether it was cut off. */
  get isInterrupted(): boolean {
    return this.#abort instanceof AbortController ? this.#abort.signal.aborted : this.#abort !== undefined;
  }

  /** Aborts the signal; one that is read later is aborted from the start. */
  interrupt(reason: unknown): void {
    if (this.#abort instanceof AbortController) this.#abort.abort(reason);
    else this.#abort ??= { reason };
  }
}

/** A wrong delay ends the retrying: another attempt would not mend it. */
function readRequest(delay: Duration, error: unknown): Directive {
  const cause = (): unknown => error;
  try {
    return { type: 'retry-after', delayMs: withCause(cause, () => new RetryAfterError(delay)).delayMs };
  } catch (wrong) {
    return { type: 'stop', error: wrong };
  }
}

/** Creates the attempt that a call has just started. */
export function withContext(call: Call, limit: AttemptLimit): AttemptWithContext {
  return new AttemptWithContext(call, limit);
}
