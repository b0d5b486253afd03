import type { Clock, FailReason } from '@retry/core';
import type { RetryBudget } from './retry-budget.ts';
import type { RetryGroup } from './retry-group.ts';

/** What every event says about its call, so that the logs of calls that run at the same time can be told apart. */
export interface CallEvent {
  /** The call's own id, the same for all of its attempts. */
  readonly id: string;
  /** The option `name`, else the name of the function; `''` when it has none. */
  readonly name: string;
  /** What the wrapped function was called with; empty for `retry`, whose function takes a context. */
  readonly arguments: readonly unknown[];
  /** Milliseconds since the call began, waits included, `≥ 0`. */
  readonly elapsedMs: number;
  /** Milliseconds that the latest attempt has taken, `≥ 0`; 0 before the first one has started. */
  readonly attemptMs: number;
}

/** An attempt that is about to start. */
export interface AttemptEvent extends CallEvent {
  /** Counted from 1. */
  readonly attempt: number;
}

/** A retry that has been decided. */
export interface RetryEvent extends CallEvent {
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
export type GiveUpReason = FailReason | 'aborted' | 'group';

/** How a call ends in failure. */
export interface Ending {
  /** The attempt that just failed, counted from 1; 0 when none had started. */
  readonly attempt: number;
  readonly error: unknown;
  /** The result that the call gives although `retryIfResult` refused it, when that is how it ends. */
  readonly result?: unknown;
  readonly reason: GiveUpReason;
  /** What a gate, predicate, strategy or `beforeRetry` threw, when that is why it stopped. */
  readonly thrown?: unknown;
}

/** The end of retrying after a failure. */
export interface GiveUpEvent extends CallEvent, Ending {}

/** A call within an attempt of another: their attempts multiply. */
export interface NestedEvent extends CallEvent {
  /** How many calls stand around this one, `depth ≥ 1`. */
  readonly depth: number;
  /** Attempts that this call alone may make. */
  readonly maxAttempts: number;
  /** Attempts that all layers together may make. */
  readonly totalAttempts: number;
}

/** Observers: none of them is awaited, and none can change an outcome. */
export interface RetryHooks {
  /** Called before each attempt starts. */
  readonly onAttempt?: ((event: AttemptEvent) => unknown) | undefined;
  /** Called for each retry before its wait. */
  readonly onRetry?: ((event: RetryEvent) => unknown) | undefined;
  /** Called once when retrying ends in failure. */
  readonly onGiveUp?: ((event: GiveUpEvent) => unknown) | undefined;
  /** Called when attempts multiply with those of a call around this one. */
  readonly onNested?: ((event: NestedEvent) => unknown) | undefined;
}

/** What a call inherits from: the context of an attempt of `retry`, or of a worker's handler. */
export interface ParentAttempt {
  readonly maxAttempts: number;
  readonly remainingMs: number;
  readonly signal: AbortSignal;
}

/** What belongs to a call rather than to its policy. Every key is optional. */
export interface RetryOptions<Result = unknown> extends RetryHooks {
  /** What events and groups call it. @default the name of the function */
  readonly name?: string | undefined;
  /** Ends a wait or an attempt at once; the call then rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether a result counts as a failure. The policy's limits hold, not its error rules; when no retry is left
   * the call gives the last result. What it throws ends the retrying. Must be synchronous.
   */
  readonly retryIfResult?: ((result: Result, context: { readonly attempt: number }) => boolean) | undefined;
  /**
   * Awaited before each retry, after its wait: to refresh a token, or to decide by asynchronous means. The total
   * timeout and the signal bound it. When it throws, or rejects, the retrying ends with the reason `stopped`; the
   * call still rejects with the last attempt's own error, and `retryInfo(error).thrown` is what it threw.
   */
  readonly beforeRetry?: ((event: RetryEvent) => unknown) | undefined;
  /** What all calls that share it may spend on retries together. */
  readonly budget?: RetryBudget | undefined;
  /** Those who wait together: can be seen, limited and drained. */
  readonly group?: RetryGroup | undefined;
  /** The attempt that this call is part of; its deadline, signal and budget hold here too. */
  readonly parent?: ParentAttempt | undefined;
  /** What a call within another's attempt does: its own retries, or one attempt only. @default 'retry' */
  readonly nested?: 'retry' | 'once' | undefined;
  /** Source of randomness: each call gives a number in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined;
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
  /** `true`: the default clock's timers do not keep the process alive (Node, Bun). @default false */
  readonly unref?: boolean | undefined;
  /** Receives what a hook threw. @default globalThis.reportError, or console.error where there is none */
  readonly reportError?: ((error: unknown) => unknown) | undefined;
}
