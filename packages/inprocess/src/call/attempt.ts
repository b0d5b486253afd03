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

/** How long an attempt may take. */
export interface AttemptLimit {
  /** `Infinity` is no limit. */
  readonly timeoutMs: number;
  /** The whole time of the call, when that is over before the attempt's own timeout; else `undefined`. */
  readonly totalMs?: number | undefined;
}

/** One attempt, as the loop sees it. */
export interface Attempt extends AttemptLimit {
  readonly call: CallView;
  /** Counted from 1. */
  readonly attempt: number;
  /** What the attempt before threw; `undefined` in the first. */
  readonly previousError: unknown;
  /** Epoch milliseconds; `NaN` when nothing asks for it. */
  readonly startedAt: number;
  isTimedOut: boolean;
  readonly wish: Wish | undefined;
  /** Aborts its signal; absent where the function gets no context. */
  readonly interrupt?: (reason: unknown) => void;
}
