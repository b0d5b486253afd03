import type { Clock, FailReason } from '@retry/core';
import type { RetryBudget } from './retry-budget.ts';
import type { RetryGroup } from './retry-group.ts';

/** An attempt that is about to start. */
export interface AttemptEvent {
  /** Counted from 1. */
  readonly attempt: number;
  /** The call's own name, the same for all of its attempts. */
  readonly id: string;
}

/** A retry that has been decided and is about to be waited for. */
export interface RetryEvent {
  /** The attempt that just failed, counted from 1. */
  readonly attempt: number;
  /** What it threw; `undefined` when it gave a result that is to be retried. */
  readonly error: unknown;
  /** The result that is to be retried, when that is why. */
  readonly result?: unknown;
  /** The delay that was drawn, in milliseconds. */
  readonly delayMs: number;
}

/** Why retrying ends: core's reasons, the caller's abort, or the group that is full or drains. */
export type StopReason = FailReason | 'aborted' | 'group';

/** The end of retrying after a failure. */
export interface StopEvent {
  /** The attempt that just failed, counted from 1; 0 when the caller had aborted before the first. */
  readonly attempt: number;
  readonly error: unknown;
  /** The result that the call gives although `retryResult` refused it, when that is how it ends. */
  readonly result?: unknown;
  readonly reason: StopReason;
  /** What a gate, predicate or strategy threw, when that is why it stopped. */
  readonly thrown?: unknown;
}

/** A call within an attempt of another: their attempts multiply. */
export interface NestedEvent {
  /** How many calls stand around this one, `depth ≥ 1`. */
  readonly depth: number;
  /** Attempts that this call alone may make. */
  readonly maxAttempts: number;
  /** Attempts that all layers together may make. */
  readonly totalAttempts: number;
}

/** Those who are told; none of them can change an outcome. */
export interface RetryHooks {
  /** Told of each attempt before it starts. */
  readonly onAttempt?: (event: AttemptEvent) => unknown;
  /** Told of each retry before its wait. */
  readonly onRetry?: (event: RetryEvent) => unknown;
  /** Told once when retrying ends in failure. */
  readonly onStop?: (event: StopEvent) => unknown;
  /** Told when attempts multiply with those of a call around this one. */
  readonly onNested?: (event: NestedEvent) => unknown;
}

/** What a call inherits from: the context of an attempt of `retry`, or of a worker's handler. */
export interface ParentAttempt {
  readonly maxAttempts: number;
  readonly remainingMs: number;
  readonly signal: AbortSignal;
}

/** What belongs to a call rather than to its policy. Every key is optional. */
export interface RetryOptions<Result = unknown> extends RetryHooks {
  /** Ends a wait or an attempt at once; the call then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether a result counts as a failure. The policy's limits hold, not its error rules; when no retry is left
   * the call gives the last result. What it throws ends the retrying.
   */
  readonly retryResult?: (result: Result, context: { readonly attempt: number }) => boolean;
  /** What all calls that share it may spend on retries together. */
  readonly budget?: RetryBudget | undefined;
  /** Those who wait together: can be seen, limited and drained. */
  readonly group?: RetryGroup | undefined;
  /** The attempt that this call is part of; its deadline, signal and budget hold here too. */
  readonly parent?: ParentAttempt | undefined;
  /** What a call within another's attempt does: its own retries, or one attempt only. @default 'retry' */
  readonly nested?: 'retry' | 'once';
  /** Source of randomness: each call gives a number in [0, 1). @default Math.random */
  readonly random?: () => number;
  /** @default the runtime's own clock */
  readonly clock?: Clock;
  /** `true`: the default clock's timers do not keep the process alive (Node, Bun). @default false */
  readonly unref?: boolean;
  /** Receives what a hook threw. @default globalThis.reportError, or console.error where there is none */
  readonly reportError?: (error: unknown) => unknown;
}
