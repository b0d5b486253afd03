import type { GiveUpEvent, RetryEvent } from '@retry/inprocess';

/** One event of `onRetry`. */
export interface RetryRecord extends RetryEvent {
  /** When it was decided, and its delay began. */
  readonly decidedAt: number;
  /** The delay that the failed response asked for, in milliseconds; `undefined` without one. */
  readonly askedMs: number | undefined;
}

/** What happened to one request; filled in while it runs. */
export interface RequestRecord {
  readonly path: string;
  /** When each attempt started. */
  readonly startedAt: number[];
  readonly retries: RetryRecord[];
  /** The event of `onGiveUp`; only when it was given up. */
  stop?: GiveUpEvent;
  outcome: 'pending' | 'succeeded' | 'given up';
}

/** The number of attempts of the request, the first included. */
export function attemptsOf({ startedAt }: RequestRecord): number {
  return startedAt.length;
}

/** The errors of all failed attempts, in order. */
export function failuresOf({ retries, stop }: RequestRecord): readonly unknown[] {
  const errors = retries.map(({ error }) => error);
  return stop === undefined ? errors : [...errors, stop.error];
}
