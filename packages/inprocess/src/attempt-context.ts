import type { Policy } from '@retry/core';

/** What the function of `retry` is told about the attempt it is. */
export interface AttemptContext {
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
}

/** One attempt's context; makes its AbortController only when somebody asks for the signal. */
export class Attempt implements AttemptContext {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly previousError: unknown;
  /** Why it was stopped, until somebody asks for the signal. One field, as every attempt pays for each. */
  #abort: AbortController | { readonly reason: unknown } | undefined;

  constructor(attempt: number, policy: Policy, previousError: unknown) {
    this.attempt = attempt;
    this.maxAttempts = policy.retryable ? policy.maxAttempts : 1;
    this.previousError = previousError;
  }

  get isLast(): boolean {
    return this.attempt >= this.maxAttempts;
  }

  get signal(): AbortSignal {
    if (this.#abort instanceof AbortController) return this.#abort.signal;
    const controller = new AbortController();
    if (this.#abort !== undefined) controller.abort(this.#abort.reason);
    this.#abort = controller;
    return controller.signal;
  }

  /** Tells the attempt to stop; a signal asked for later is born aborted. */
  stop(reason: unknown): void {
    if (this.#abort instanceof AbortController) this.#abort.abort(reason);
    else this.#abort ??= { reason };
  }
}
