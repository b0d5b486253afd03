import type { Ending, GiveUpReason } from './events.ts';

/** One failed attempt in a call's history. */
export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  /** What it threw, or a `RefusedResultError`. */
  readonly error: unknown;
  /** Epoch milliseconds. */
  readonly failedAt: number;
  /** The delay before the next attempt; `undefined` when none followed. */
  readonly delayMs: number | undefined;
}

/** A linked list of failed attempts, latest first: it needs no array while there is only one. */
export interface FailureList extends FailedAttempt {
  /** When it failed, in epoch milliseconds by the call's clock. */
  readonly failedAt: number;
  /** How many milliseconds the wall clock was ahead of that. */
  readonly aheadMs: number;
  delayMs: number | undefined;
  /** Who asked for the delay, if not the policy. */
  readonly askedBy?: 'server' | undefined;
  previous: FailureList | undefined;
}

/** What is known about a call that ended in failure. */
export interface RetryInfo {
  /** Only one call has ended with the error. */
  readonly isShared: false;
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

/**
 * What is known about an error object that several calls have ended with, as with the reason of one signal, or with a constant: not which of
 * them is meant.
 */
export interface SharedErrorInfo
  extends Readonly<Partial<Record<Exclude<keyof RetryInfo, 'isShared'>, undefined>>> {
  readonly isShared: true;
}

interface EndedCall {
  readonly plan: { readonly around?: object | undefined };
  readonly id: string;
  readonly latest: FailureList | undefined;
  readonly ending: Ending | undefined;
}

/** How many failed attempts a history keeps: the first, and the latest of the others. */
const MAX_HISTORY = 10;

/** Kept beside the errors, not on them: this works for frozen errors and adds no visible key. */
const endedCalls = new WeakMap<object, EndedCall | SharedErrorInfo>();

const SHARED: SharedErrorInfo = Object.freeze({ isShared: true });

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
  if (error !== Object(error)) return;
  const key = Object(error);
  endedCalls.set(key, outermost(call, endedCalls.get(key)));
}

/** Returns the outer one of two calls that have ended with the same error. */
function outermost(call: EndedCall, before: EndedCall | SharedErrorInfo = call): EndedCall | SharedErrorInfo {
  if ('isShared' in before || isInside(call, before)) return before;
  return isInside(before, call) ? call : SHARED;
}

/** Returns whether a call was made in an attempt of the other one: with the option `parent`, or under `guardNestedRetries`. */
function isInside(call: EndedCall, outer: EndedCall): boolean {
  let around: EndedCall | undefined = call;
  while (around !== undefined && around !== outer) {
    const { plan }: EndedCall = around;
    around = (plan.around as { readonly call?: EndedCall } | undefined)?.call; // only attempts of this package have a call
  }
  return around === outer;
}

/**
 * Returns what is known about the call that rejected with this error; of calls inside one another that have passed it on, about the
 * outermost.
 *
 * If other calls have ended with the same object, too, nothing says which is meant: the answer has `isShared: true`, and no more. What is
 * known about each of them, `tryRetry` and `onGiveUp` say.
 *
 * @returns `undefined` for an error that no call ended with, and for a value that is not an object
 */
export function retryInfo(error: unknown): RetryInfo | SharedErrorInfo | undefined {
  const call = endedCalls.get(Object(error));
  if (call === undefined || 'isShared' in call) return call;
  if (call.ending === undefined) return undefined;
  const { attempt, reason, thrown } = call.ending;
  const history = historyOf(call.latest);
  return {
    ...{ isShared: false, id: call.id, attempts: attempt, reason },
    ...(thrown !== undefined && { thrown }),
    history,
  };
}
