import type { Duration } from '@retry/core';
import type { InstantInput } from '../option-rules.ts';

/** The second argument of a handler: describes the current attempt and lets the handler act on its run. */
export interface TaskContext {
  /** The run's id: the same in every attempt. */
  readonly id: string;
  /** Charged attempts so far and this one; counted from 1. */
  readonly attempt: number;
  /** How many attempts the policy allows, the first included. */
  readonly maxAttempts: number;
  /** The fencing token: use it in your own conditional writes. */
  readonly epoch: number;
  /** The trace context that the run was submitted with, if any. */
  readonly context: string | undefined;
  /** Aborts when the attempt has to stop; the reason says why (timeout, cancelled, shutdown, lease lost). */
  readonly signal: AbortSignal;
  /** Milliseconds left of the attempt's timeout or of the policy's total time, whichever ends first; `Infinity` without either. */
  readonly remainingMs: number;
  /** Reports that the handler is alive. Needed only when the task has a `heartbeat` interval. */
  readonly heartbeat: () => void;
  /**
   * Ends this attempt and requests another one, at a delay of your own; charged like any failure. When no attempt or no
   * total time is left, the run fails with `error`. Never returns.
   *
   * @throws {InvalidOptionsError} when the request is wrong
   */
  readonly retry: (request?: RetryRequest) => never;
  /**
   * Ends this attempt and gives the run back, uncharged, for a reason that is not the run's fault. After the delay it waits in
   * its lane again; without one it returns to the front of its lane now. When the run has been given back `maxReleases` times
   * already, it fails with a `ReleasesExhaustedError`; when the delay goes beyond the policy's `totalTimeout`, it fails as with
   * `retry`. Never returns.
   *
   * @throws {InvalidOptionsError} when the request is wrong
   */
  readonly release: (request?: ReleaseRequest) => never;
  /**
   * Puts the lane of this task on hold for all workers: from the answer on none claims a run of it, until the time is over or
   * `queue.resume(task)` ends the hold. Waiting runs keep their places; this worker gives back those that it has claimed in
   * advance, other workers may still start theirs. A hold that a handler has put on the lane already is
   * never shortened. Does not end this attempt: usually `release` follows. Rejects with the error of the broker when that fails.
   */
  readonly hold: (request: HandlerHold) => Promise<void>;
  /**
   * Completes the run inside your own transaction, where the broker lives in your database: both commit or neither does.
   * The handler returns as usual after the commit. From now on only the commit counts: when the handler returns and the
   * transaction was rolled back, the attempt has failed with a `NotCommittedError`. Rejects with a `LeaseLostError` when
   * another worker holds the run: let that roll the transaction back. A call that is refused before it reaches the
   * transaction (a wrong `tx`, a result that cannot be stored) changes nothing.
   */
  readonly complete: (completion: Completion) => Promise<void>;
  /**
   * Corrects what this attempt counts as against the `globalRateLimit` of its task, to what it has really cost in all: a number from 0 to
   * 1e9, rounded up. It counts as of when the attempt started. May be called several times, of which the latest counts, and also after the
   * end; not part of any transaction. Never throws: what is wrong is reported by the worker's `error` event, and nothing is corrected.
   */
  readonly spend: (actual: number) => void;
  /** Emits the worker's `log` event. */
  readonly log: (message: string, details?: unknown) => void;
}

/** The argument of `ctx.complete`. */
export interface Completion {
  /** The client that began the transaction, or whatever identifies it to the broker. */
  readonly tx: unknown;
  /** Stored as the result of the run. */
  readonly result?: unknown;
}

/** The argument of `ctx.retry`: the next attempt starts after `delay` or at `at`; without either, as the policy says. */
export interface RetryRequest {
  readonly delay?: Duration | undefined;
  /** Not before this instant; `delay` takes precedence. */
  readonly at?: InstantInput | undefined;
  /** The error to record; also the final error when no attempt is left. */
  readonly error?: unknown;
  /** Total executions, the first included, for this request only. @default the policy's own */
  readonly maxAttempts?: number | 'Infinity' | undefined;
}

/** The argument of `ctx.release`. */
export interface ReleaseRequest {
  /** The run waits for at least this long. @default 0: it may start again now */
  readonly delay?: Duration | undefined;
  /** Why, for people: part of the event `released`; 1 to 512 bytes. */
  readonly reason?: string | undefined;
}

/** The argument of `ctx.hold`. */
export interface HandlerHold {
  /** How long, from when the broker stores it; 0 holds nothing. */
  readonly for: Duration;
  /** Why, for people: part of `queue.holds()`; 1 to 512 bytes. */
  readonly reason?: string | undefined;
}
