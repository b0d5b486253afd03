import type { Clock } from '@retry/core';
import type { Scope } from './scope.ts';

/** What an attempt reads of its call. */
export interface CallView {
  readonly id: string;
  readonly maxAttempts: number;
  readonly clock: Clock;
  readonly startedAt: number;
  /** What a call within this attempt takes over. */
  readonly plan: Pick<Scope, 'budget' | 'depth' | 'totalAttempts'>;
}

/** How an attempt begins. */
export interface AttemptStart {
  /** Counted from 1. */
  readonly attempt: number;
  /** What the attempt before threw; `undefined` in the first. */
  readonly previousError: unknown;
  /** How long it may take; `Infinity` is no limit. */
  readonly timeoutMs: number;
  /** Epoch milliseconds; 0 when nobody can ask. */
  readonly startedAt: number;
}

/** What the function asked for beside its error. */
export type Wish =
  | { readonly type: 'stop'; readonly error: unknown }
  | { readonly type: 'retry-after'; readonly delayMs: number };

/** One attempt, as the loop sees it. */
export interface Attempt extends AttemptStart {
  readonly call: CallView;
  isTimedOut: boolean;
  readonly wish: Wish | undefined;
  /** Tells it to stop. */
  readonly interrupt: (reason: unknown) => void;
}

/** An attempt of a function that is not told of its attempts: it wishes nothing, and nobody hears it stopped. */
export function silentAttempt(call: CallView, start: AttemptStart): Attempt {
  const { attempt, previousError, timeoutMs, startedAt } = start;
  const interrupt = unheard;
  return {
    call,
    attempt,
    previousError,
    timeoutMs,
    startedAt,
    isTimedOut: false,
    wish: undefined,
    interrupt,
  };
}

function unheard(): void {}
