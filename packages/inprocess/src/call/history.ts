import type { Ending, GiveUpReason } from './events.ts';

/** One failed attempt in a call's history. */
export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  /** What it threw; `undefined` when its result was refused. */
  readonly error: unknown;
  /** Epoch milliseconds. */
  readonly failedAt: number;
  /** The delay before the next attempt; `undefined` when none followed. */
  readonly delayMs: number | undefined;
}

/** A linked list of failed attempts, latest first: it needs no array while there is only one. */
export interface FailureList extends FailedAttempt {
  /** By the call's clock. */
  readonly failedAt: number;
  /** How many milliseconds the wall clock was ahead of that. */
  readonly aheadMs: number;
  delayMs: number | undefined;
  previous: FailureList | undefined;
}

/** What is known about a call that ended in failure. */
export interface RetryInfo {
  /** The call's own id, the same as `ctx.id` of its attempts. */
  readonly id: string;
  /** Attempts that were made; 0 when the caller had aborted before the first, or a circuit breaker was open. */
  readonly attempts: number;
  /** Why the retrying ended, as in its `onGiveUp` event. */
  readonly reason: GiveUpReason;
  /** What a gate, predicate, strategy or `beforeRetry` threw, if that is why the retrying stopped. */
  readonly thrown?: unknown;
  /** The first failed attempt and the latest nine, oldest first. */
  readonly history: readonly FailedAttempt[];
}

interface EndedCall {
  readonly id: string;
  readonly latest: FailureList | undefined;
  readonly ending: Ending | undefined;
}

/** How many failed attempts a history keeps: the first, and the latest of the others. */
const MAX_HISTORY = 10;

/** Kept beside the errors, not on them: this works for frozen errors and adds no visible key. */
const endedCalls = new WeakMap<object, EndedCall>();

/** Returns the list, shortened by its second oldest attempt if it is too long, so that an endless loop needs no memory. */
export function shorten(latest: FailureList): FailureList {
  if (latest.attempt <= MAX_HISTORY) return latest;
  let entry: FailureList | undefined = latest;
  for (let kept = 2; kept < MAX_HISTORY; kept += 1) entry = entry?.previous;
  if (entry !== undefined) entry.previous = entry.previous?.previous;
  return latest;
}

/** Returns the failed attempts that are kept, oldest first. */
export function historyOf(latest: FailureList | undefined): readonly FailedAttempt[] {
  const history: FailedAttempt[] = [];
  for (let entry = latest; entry !== undefined; entry = entry.previous) {
    const { attempt, error, failedAt, aheadMs, delayMs } = entry;
    history.unshift({ attempt, error, failedAt: failedAt + aheadMs, delayMs });
  }
  return history;
}

/** Remembers which call ended with this error; only objects can be remembered. */
export function recordEnding(error: unknown, call: EndedCall): void {
  if (error === Object(error)) endedCalls.set(Object(error), call);
}

/**
 * Returns what is known about the call that rejected with this error; if several did, about the latest.
 *
 * @returns `undefined` for an error that no call ended with, and for a value that is not an object
 */
export function retryInfo(error: unknown): RetryInfo | undefined {
  const call = endedCalls.get(Object(error));
  if (call?.ending === undefined) return undefined;
  const { attempt, reason, thrown } = call.ending;
  const history = historyOf(call.latest);
  return { id: call.id, attempts: attempt, reason, ...(thrown !== undefined && { thrown }), history };
}
