import type { Clock } from '@retry/core';
import type { Plan } from './plan.ts';

/** What an attempt reads of its call. */
export interface CallView {
  readonly id: string;
  readonly maxAttempts: number;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly plan: Plan;
  /** Keeps what has to be cleared when the caller aborts; the latest is enough. */
  readonly hold: (cancel: () => void) => void;
}

/** What the function asked for beside its error. */
export type Wish =
  | { readonly type: 'stop'; readonly error: unknown }
  | { readonly type: 'retry-after'; readonly delayMs: number };

/** One attempt, as the loop sees it. */
export interface Attempt {
  readonly call: CallView;
  /** Counted from 1. */
  readonly attempt: number;
  /** What the attempt before threw; `undefined` in the first. */
  readonly previousError: unknown;
  /** How long it may take; `Infinity` is no limit. */
  readonly timeoutMs: number;
  /** Epoch milliseconds; 0 when nobody can ask. */
  readonly startedAt: number;
  isTimedOut: boolean;
  readonly wish: Wish | undefined;
  /** Tells it to stop; absent where the function is not told of its attempts. */
  readonly interrupt?: (reason: unknown) => void;
}
