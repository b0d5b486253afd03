import type { Clock, FailReason } from '@retry/core';

/** A retry that has been decided and is about to be waited for. */
export interface RetryEvent {
  /** The attempt that just failed, counted from 1. */
  readonly attempt: number;
  readonly error: unknown;
  /** The delay that was drawn, in milliseconds. */
  readonly delayMs: number;
}

/** The end of retrying after a failure. */
export interface StopEvent {
  /** The attempt that just failed, counted from 1; 0 when the caller had aborted before the first. */
  readonly attempt: number;
  readonly error: unknown;
  readonly reason: FailReason | 'aborted';
  /** What a gate, predicate or strategy threw, when that is why it stopped. */
  readonly thrown?: unknown;
}

/** What belongs to a call rather than to its policy. Every key is optional. */
export interface RetryOptions {
  /** Ends a wait or an attempt at once; the call then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each retry before its wait. What it throws goes to `reportError` and changes nothing. */
  readonly onRetry?: (event: RetryEvent) => void;
  /** Told once when retrying ends in failure. What it throws goes to `reportError` and changes nothing. */
  readonly onStop?: (event: StopEvent) => void;
  /** Source of randomness: each call gives a number in [0, 1). @default Math.random */
  readonly random?: () => number;
  /** @default the runtime's own clock */
  readonly clock?: Clock;
  /** Receives what a hook threw. @default globalThis.reportError, or console.error where there is none */
  readonly reportError?: (error: unknown) => void;
}
