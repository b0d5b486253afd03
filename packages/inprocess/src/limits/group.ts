import type { AsyncDispose, Clock } from '@retry/core';
import { wallAheadMs } from '@retry/core/clock';
import { countFrom, disposedBy, readOptions } from '@retry/core/fields';
import type { FailedAttempt } from '../call/history.ts';

/** A call of a group that is waiting for its next attempt: from the decision to make it until it starts. */
export interface WaitingCall {
  /** The call's own id, the same as `ctx.id` of its attempts. */
  readonly id: string;
  /** The option `name`, else the name of the function; `''` when it has none. */
  readonly name: string;
  /** The attempt that just failed, counted from 1; 0 in the wait before the first. */
  readonly attempt: number;
  /** What that attempt threw, or a `RefusedResultError`; `undefined` in the wait before the first. */
  readonly error: unknown;
  /** When its delay ends, in epoch milliseconds. */
  readonly retryAt: number;
}

/** Calls that can be listed, limited and drained together. Made by `createRetryGroup`. `await using` drains it. */
export interface RetryGroup extends AsyncDispose {
  /** Returns the number of calls in progress, waiting ones included. */
  readonly active: () => number;
  /** Returns the calls that wait for an attempt, the longest waiting first; at most `maxWaiting`. */
  readonly waiting: () => readonly WaitingCall[];
  /**
   * Stops all retries of the group. A waiting call ends immediately with its last error (with a `RetryError` of the
   * code `SHUTDOWN` if it waited for its first attempt); a running attempt is the last of its call. Resolves when no
   * call is in progress.
   */
  readonly drain: () => Promise<void>;
  /** Whether `drain` was called, which nothing undoes. */
  readonly isDraining: boolean;
  /** Whether one more call may wait. */
  readonly hasRoom: boolean;
  /** Counts a call as in progress. Calls that have this group as an option do it by themselves. */
  readonly enter: () => void;
  /** Counts a call as ended. */
  readonly leave: () => void;
  /** Lists a call that waits for its next attempt; returns a function that removes it from the list. */
  readonly park: (wake: () => void, call: ParkedCall, failed: FailedAttempt) => () => void;
}

/** A call that waits, and its clock: without one, the instants of its failures are those of the wall clock. */
export interface ParkedCall extends Pick<WaitingCall, 'id' | 'name'> {
  /** The clock by which the attempt failed. @default the wall clock */
  readonly clock?: Clock | undefined;
}

/** Options of a retry group. Every key is optional. */
export interface RetryGroupOptions {
  /**
   * How many calls may wait at the same time, an integer ≥ 0. One more ends immediately: with its own error, or, if it would wait for its first
   * attempt (`initialDelay`), with a `RetryError` of the code `GROUP_FULL`. @default Infinity
   */
  readonly maxWaiting?: number | undefined;
}

/**
 * Creates a group; calls join it by the option `group`.
 *
 * @throws {InvalidOptionsError} when an option is unknown, or `maxWaiting` is not an integer ≥ 0
 */
export function createRetryGroup(options?: RetryGroupOptions): RetryGroup {
  const maxWaiting = readOptions(options, { subject: 'retry group', keys: ['maxWaiting'] }, (fields) =>
    fields.number('maxWaiting', Infinity, countFrom(0, 'Leave it out for no limit.')),
  );
  return Object.assign(new Group(maxWaiting), disposedBy('drain'));
}

class Group implements Omit<RetryGroup, keyof AsyncDispose> {
  readonly #maxWaiting: number;
  readonly #waiting = new Map<() => void, () => WaitingCall>();
  readonly #drained = new Set<() => void>();
  #active = 0;
  isDraining = false;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  get hasRoom(): boolean {
    return !this.isDraining && this.#waiting.size < this.#maxWaiting;
  }

  active(): number {
    return this.#active;
  }

  waiting(): readonly WaitingCall[] {
    return [...this.#waiting.values()].map((describe) => describe());
  }

  drain(): Promise<void> {
    this.isDraining = true;
    for (const wake of [...this.#waiting.keys()]) wake();
    if (this.#active === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#drained.add(resolve));
  }

  enter(): void {
    this.#active += 1;
  }

  leave(): void {
    this.#active -= 1;
    if (this.#active > 0) return;
    for (const resolve of this.#drained) resolve();
    this.#drained.clear();
  }

  park(wake: () => void, call: ParkedCall, failed: FailedAttempt): () => void {
    const { attempt, error, failedAt, delayMs = 0 } = failed;
    this.#waiting.set(wake, () => ({
      id: call.id,
      name: call.name,
      attempt,
      error,
      retryAt: failedAt + delayMs + (call.clock === undefined ? 0 : wallAheadMs(call.clock)),
    }));
    return () => void this.#waiting.delete(wake);
  }
}
