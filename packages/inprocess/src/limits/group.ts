import { readOptions } from '@retry/core/fields';
import type { FailedAttempt } from '../call/failed-attempt.ts';

/** A call that waits for its next attempt. */
export interface WaitingCall {
  /** The call's own name, the same as `ctx.id` of its attempts. */
  readonly id: string;
  /** The name of the function; `''` when it has none. */
  readonly name: string;
  /** The attempt that just failed, counted from 1; 0 in the wait before the first. */
  readonly attempt: number;
  readonly error: unknown;
  /** When the next attempt starts, in epoch milliseconds of the call's clock. */
  readonly retryAt: number;
}

/** Calls that are seen, limited and drained together. Made by `createRetryGroup`. */
export interface RetryGroup {
  /** Calls under way, those that wait included. */
  readonly active: () => number;
  /** Who waits for a retry, the longest waiting first. */
  readonly waiting: () => readonly WaitingCall[];
  /**
   * From now on no call of the group retries: a call that waits ends at once with its last error (with a
   * `RetryError` of the code `SHUTDOWN` where it waited for its first attempt), and an attempt that runs is its call's
   * last. Resolves when no call is under way.
   */
  readonly drain: () => Promise<void>;
  readonly isDraining: boolean;
  /** Whether one more may wait. */
  readonly hasRoom: boolean;
  /** Counts a call as under way; the calls that were given the group do so by themselves. */
  readonly enter: () => void;
  readonly leave: () => void;
  /** Lists one who waits after a failed attempt; gives back how to take it off. */
  readonly park: (
    wake: () => void,
    call: Pick<WaitingCall, 'id' | 'name'>,
    failed: FailedAttempt,
  ) => () => void;
}

/** How large a group may become. */
export interface RetryGroupOptions {
  /** How many may wait at once, an integer ≥ 0; one more fails at once with its own error. @default Infinity */
  readonly maxWaiting?: number | undefined;
}

/**
 * A group of calls, given to each of them as the option `group`.
 *
 * @throws {InvalidOptionsError} when an option is unknown, or `maxWaiting` no integer ≥ 0
 */
export function createRetryGroup(options?: RetryGroupOptions): RetryGroup {
  const maxWaiting = readOptions(options, { subject: 'retry group', keys: ['maxWaiting'] }, (fields) =>
    fields.number('maxWaiting', Infinity, {
      accepts: (count) => count === Infinity || (Number.isInteger(count) && count >= 0),
      message: 'must be an integer ≥ 0 or Infinity',
      cure: 'Leave it out for no limit.',
    }),
  );
  return new Group(maxWaiting);
}

class Group implements RetryGroup {
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

  park(wake: () => void, call: Pick<WaitingCall, 'id' | 'name'>, failed: FailedAttempt): () => void {
    const { attempt, error, failedAt, delayMs = 0 } = failed;
    this.#waiting.set(wake, () => ({
      id: call.id,
      name: call.name,
      attempt,
      error,
      retryAt: failedAt + delayMs,
    }));
    return () => void this.#waiting.delete(wake);
  }
}
