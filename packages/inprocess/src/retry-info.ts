import type { Failed, FailedAttempt } from './failed-attempt.ts';
import { historyOf } from './failed-attempt.ts';
import type { Ending, GiveUpReason } from './options.ts';

/** What is known of a call that ended in failure. */
export interface RetryInfo {
  /** The call's own name, the same as `ctx.id` of its attempts. */
  readonly id: string;
  /** Attempts that were made; 0 when the caller had aborted before the first. */
  readonly attempts: number;
  readonly reason: GiveUpReason;
  /** What a gate, predicate, strategy or `beforeRetry` threw, when that is why it stopped. */
  readonly thrown?: unknown;
  /** The first failed attempt and the latest nine, oldest first. */
  readonly history: readonly FailedAttempt[];
}

/** A call that is over, and how. */
interface EndedCall {
  readonly id: string;
  readonly latest: Failed | undefined;
  readonly over: Ending | undefined;
}

/** Beside the errors, never on them: a frozen error is as good as any, and nobody sees a key they did not put. */
const endedCalls = new WeakMap<object, EndedCall>();

/** Notes the call that ends with this error; nothing can be noted for a string. */
export function noteInfo(error: unknown, call: EndedCall): void {
  if (error === Object(error)) endedCalls.set(Object(error), call);
}

/**
 * What is known of the call that rejected with this error; where several did, of the latest.
 *
 * @returns `undefined` for an error that no call ended with, and for what is not an object
 */
export function retryInfo(error: unknown): RetryInfo | undefined {
  const call = endedCalls.get(Object(error));
  if (call?.over === undefined) return undefined;
  const { attempt, reason, thrown } = call.over;
  const history = historyOf(call.latest);
  return { id: call.id, attempts: attempt, reason, ...(thrown !== undefined && { thrown }), history };
}
