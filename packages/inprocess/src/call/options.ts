import type { Clock } from '@retry/core';
import type { RetryBudget } from '@retry/core/budget';
import type { CircuitBreaker } from '../limits/circuit-breaker.ts';
import type { RetryGroup } from '../limits/group.ts';
import type { RetryEvent, RetryHooks } from './events.ts';

/** The attempt that a call is made in: the context of an attempt of `retry`, or of a worker's handler. */
export interface ParentAttempt {
  /** Attempts that the call around may make, the first included; may be `Infinity`. `onNested` multiplies by it. */
  readonly maxAttempts: number;
  /** Milliseconds until the attempt is cut off, `0 ≤ ms ≤ Infinity`; read when the call begins, which ends by then. */
  readonly remainingMs: number;
  /** Ends this call, too. */
  readonly signal: AbortSignal;
}

/** What belongs to a call rather than to its policy. Every key is optional. `Arguments` are those of the wrapped function. */
export interface RetryOptions<Result = unknown, Arguments extends readonly unknown[] = readonly unknown[]>
  extends RetryHooks<Arguments> {
  /** The call's name in events and groups. @default the name of the function */
  readonly name?: string | undefined;
  /**
   * Ends a wait or an attempt immediately; the call then rejects with `signal.reason`. The abort of another signal, of which only the
   * function knows, is an error as any other: `retryOn: 'everything'` retries it, because a timeout may look the same.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Returns whether a result counts as a failure. The policy's limits apply, its error rules do not; when no retry is
   * left the call resolves with the last result. If it throws, that is reported, and the call resolves with this one. Must be
   * synchronous.
   */
  readonly retryIfResult?: ((result: Result, context: { readonly attempt: number }) => boolean) | undefined;
  /**
   * Awaited before each retry, after its wait: to refresh a token, or for an asynchronous decision. The total
   * timeout and the signal limit it. If it throws or rejects, the retrying ends with the reason `stopped`; the
   * call still rejects with the last attempt's own error. What it threw is `retryInfo(error).thrown`.
   */
  readonly beforeRetry?: ((event: RetryEvent<Arguments>) => unknown) | undefined;
  /** Limits the retries of all calls that share it. */
  readonly budget?: RetryBudget | undefined;
  /**
   * Stops the calls that share it while their dependency is down. While it is open, a call fails with a
   * `CircuitOpenError` without calling its function, and a failure is not retried: the call rejects with its own error.
   */
  readonly circuitBreaker?: CircuitBreaker | undefined;
  /** Calls that can be listed, limited and drained together. */
  readonly group?: RetryGroup | undefined;
  /** The attempt that this call is made in; its total timeout, signal and budget apply here too. */
  readonly parent?: ParentAttempt | undefined;
  /** What a call inside another call's attempt may do: its own retries, or one attempt only. @default 'retry' */
  readonly nested?: 'retry' | 'once' | undefined;
  /** Source of randomness: returns a number in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined;
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
  /** `true`: the default clock's timers do not keep the process alive (Node, Bun). @default false */
  readonly unref?: boolean | undefined;
  /**
   * Receives what a hook threw, and what ended the retrying by throwing: a gate, predicate, strategy or `retryIfResult`; not
   * `beforeRetry`, which throws in order to end it.
   *
   * @default globalThis.reportError, or console.error where there is none
   */
  readonly reportError?: ((error: unknown) => unknown) | undefined;
}
