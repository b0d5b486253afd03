import type { FailReason } from '@retry/core';
import type { RefusedResultError } from './refused-result.ts';

/** What every event says about its call, so that the logs of concurrent calls can be distinguished. */
export interface CallEvent<Arguments extends readonly unknown[] = readonly unknown[]> {
  /** The call's own id, the same for all of its attempts. */
  readonly id: string;
  /** The option `name`, else the name of the function; `''` when it has none. */
  readonly name: string;
  /** The arguments of the wrapped function; empty for `retry`, whose function takes a context. */
  readonly arguments: Arguments;
  /** Milliseconds since the call began, waits included, `≥ 0`. */
  readonly elapsedMs: number;
  /** Milliseconds that the latest attempt has taken, `≥ 0`; 0 before the first one has started. */
  readonly attemptMs: number;
}

/** An attempt that is about to start. */
export interface AttemptEvent<Arguments extends readonly unknown[] = readonly unknown[]>
  extends CallEvent<Arguments> {
  /** Counted from 1. */
  readonly attempt: number;
}

/** A retry that has been decided. */
export interface RetryEvent<Arguments extends readonly unknown[] = readonly unknown[]>
  extends CallEvent<Arguments> {
  /** The attempt that just failed, counted from 1. */
  readonly attempt: number;
  /** What it threw; a {@link RefusedResultError} when it returned a result that is to be retried. */
  readonly error: unknown;
  /** The result that is to be retried, if a result is the reason. */
  readonly result?: unknown;
  /** The computed delay before the retry, in milliseconds. */
  readonly delayMs: number;
  /** Present where the delay is the one that a server, or `ctx.retryAfter`, asked for, and not the policy's own. */
  readonly askedBy?: 'server';
}

/**
 * Why retrying ends: a reason of the policy's decision, the caller's abort, a group that is full or draining, or a circuit
 * breaker that is not closed.
 */
export type GiveUpReason = FailReason | 'aborted' | 'group' | 'circuit-open';

/** How an attempt failed: with an error, or with a result that `retryIfResult` refused. */
export interface Failure {
  /** A {@link RefusedResultError} when a result was refused. */
  readonly error: unknown;
  /** Present when a result was refused. If the call ends with it, the call resolves with this result. */
  readonly result?: unknown;
  /** What a gate, predicate, strategy, `retryIfResult` or `beforeRetry` threw, if that is why the retrying stopped. */
  readonly thrown?: unknown;
}

/** How a call ends in failure. */
export interface Ending extends Failure {
  /** The attempt that just failed, counted from 1; 0 when none had started. */
  readonly attempt: number;
  /** Why no attempt follows. */
  readonly reason: GiveUpReason;
}

/** The end of retrying after a failure. */
export interface GiveUpEvent<Arguments extends readonly unknown[] = readonly unknown[]>
  extends CallEvent<Arguments>,
    Ending {}

/** The success of a call, as `publishDiagnostics` publishes it. */
export interface SuccessEvent extends CallEvent {
  /** The attempt that succeeded, counted from 1. */
  readonly attempt: number;
}

/** A call inside an attempt of another call, or a client that repeats requests inside an attempt of this one: their attempts multiply. */
export interface NestedEvent<Arguments extends readonly unknown[] = readonly unknown[]>
  extends CallEvent<Arguments> {
  /** The number of calls around this one, `depth ≥ 1`; 0 for a call whose client was seen. */
  readonly depth: number;
  /** Attempts that this call alone may make. */
  readonly maxAttempts: number;
  /** Attempts that all levels together may make; with `requests`, requests that they may send. */
  readonly totalAttempts: number;
  /** How often a client inside one attempt sent a request that had failed, `≥ 2`; absent where a call is inside a call. */
  readonly requests?: number;
}

/** Observers of a call. They are not awaited and cannot change its outcome. */
export interface RetryHooks<Arguments extends readonly unknown[] = readonly unknown[]> {
  /** Called before each attempt starts. */
  readonly onAttempt?: ((event: AttemptEvent<Arguments>) => unknown) | undefined;
  /** Called for each retry, before its wait. */
  readonly onRetry?: ((event: RetryEvent<Arguments>) => unknown) | undefined;
  /** Called once when retrying ends in failure. */
  readonly onGiveUp?: ((event: GiveUpEvent<Arguments>) => unknown) | undefined;
  /** Called when the attempts of this call multiply with those of a call around it, or with what a client sends again by itself. */
  readonly onNested?: ((event: NestedEvent<Arguments>) => unknown) | undefined;
}
