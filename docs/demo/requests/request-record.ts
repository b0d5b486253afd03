import type { RetryEvent, StopEvent } from '@retry/inprocess';

/** One retry as `onRetry` told of it. */
export interface RetryRecord extends RetryEvent {
  /** When it was decided, and its delay began. */
  readonly decidedAt: number;
  /** What the failed answer asked for in milliseconds; `undefined` when it asked for nothing. */
  readonly askedMs: number | undefined;
}

/** All that is known of one request; filled in while it runs. */
export interface RequestRecord {
  readonly path: string;
  /** When each attempt started. */
  readonly startedAt: number[];
  readonly retries: RetryRecord[];
  /** Told by `onGiveUp`, so only when it was given up. */
  stop?: StopEvent;
  outcome: 'pending' | 'succeeded' | 'given up';
}

/** Attempts the request took, the first included. */
export function attemptsOf({ startedAt }: RequestRecord): number {
  return startedAt.length;
}

/** What each failed attempt threw, retried or not, in order. */
export function failuresOf({ retries, stop }: RequestRecord): readonly unknown[] {
  const errors = retries.map(({ error }) => error);
  return stop === undefined ? errors : [...errors, stop.error];
}
