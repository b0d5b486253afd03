import type { Clock } from '@retry/core';
import type { RetryBudget } from '@retry/core/budget';
import type { PolicySettings } from '@retry/core/fields';
import { allowedAttempts } from '@retry/core/fields';
import type { CircuitPermit } from '../limits/circuit-breaker.ts';
import { backgroundClock, systemClock } from '../time/clock.ts';
import { guardedClock } from '../time/guard-clock.ts';
import type { Ending, Failure } from './events.ts';
import type { FailureList } from './history.ts';
import type { ParentAttempt, RetryOptions } from './options.ts';

/** The function under retry, whatever its parameters are. */
export type Target = (this: unknown, ...parameters: readonly unknown[]) => unknown;

/** Gives an attempt a context for its function. */
type WithContext = (call: Call, limit: AttemptLimit) => Attempt;

/** A function, and how it is retried. */
export interface Retried {
  readonly fn: Target;
  readonly policy: PolicySettings;
  readonly options: RetryOptions<never>;
}

/** How the calls of a function are made: computed once when it is wrapped, and adapted for each nested call. */
export interface Plan extends Retried {
  /** Absent where the function takes no context: a bundle contains only what its plans name. */
  readonly withContext: WithContext | undefined;
  readonly clock: Clock;
  /** The `Call` object can be created after the first failure. */
  readonly isBare: boolean;
  /** Something may read how long the call, or an attempt, has taken. */
  readonly isTimed: boolean;
  /** `retryIf` is asked about a refused result, too: `fetch` returns responses where others throw. */
  readonly isResultGated?: boolean | undefined;
  /** Further fields of every event: the request, for `fetch`. */
  readonly about?: object | undefined;
  /** The caller's signal, joined with that of the attempt around the call. */
  readonly signal: AbortSignal | undefined;
  readonly budget: RetryBudget | undefined;
  /** When the call around it reaches its total timeout, in epoch milliseconds; `Infinity` without one. */
  readonly deadlineAt: number;
  /** The attempt around the call. */
  readonly around?: ParentAttempt | undefined;
  /** The number of calls around this one. */
  readonly depth: number;
  /** Attempts that all levels together may make. */
  readonly totalAttempts: number;
  /** Releases the joined signal. */
  readonly release?: (() => void) | undefined;
}

/** What a function asked for by `ctx.stop` or `ctx.retryAfter`. */
export type Directive =
  | { readonly type: 'stop'; readonly error: unknown }
  | { readonly type: 'retry-after'; readonly delayMs: number };

/** How long an attempt may take. */
export interface AttemptLimit {
  /** Epoch milliseconds; `NaN` when nothing reads it. */
  readonly startedAt: number;
  /** `Infinity` is no limit. */
  readonly timeoutMs: number;
  /** Whether that is the total timeout of the call, because it ends before the attempt's own. */
  readonly isTotal: boolean;
}

/** One attempt, as the call sees it. */
export interface Attempt extends AttemptLimit {
  isTimedOut: boolean;
  readonly directive: Directive | undefined;
  /** Aborts its signal; absent where the function gets no context. */
  readonly interrupt?: (reason: unknown) => void;
}

/** One call under retry: what has happened so far, and the steps of its loop. */
export interface Call {
  readonly plan: Plan;
  readonly options: RetryOptions<never>;
  readonly clock: Clock;
  readonly id: string;
  readonly name: string;
  /** Epoch milliseconds; `NaN` when nothing reads it. */
  readonly startedAt: number;
  /** Returns how long the call has taken at an instant; 0 when nothing reads it. */
  readonly elapsedMs: (at: number) => number;
  /** Returns how long the latest attempt had taken at an instant, at most until it ended. */
  readonly attemptMs: (at: number) => number;
  /** Attempts that have started. */
  readonly attempts: number;
  /** What the circuit breaker gave to the latest attempt. */
  readonly permit: CircuitPermit | undefined;
  /** The running attempt, if something needs the object. */
  readonly running: Attempt | undefined;
  /** The latest failed attempt, and those before it. */
  readonly latest: FailureList | undefined;
  /** The latest failure, if a result was refused. */
  readonly refused: Failure | undefined;
  /** Set once retrying has ended in failure. */
  readonly ending: Ending | undefined;
  /** The arguments of the wrapped function. */
  readonly parameters: readonly unknown[];

  /** Waits for the policy's `initialDelay`. */
  readonly waitInitialDelay: () => Promise<void> | undefined;
  /** Starts the next attempt; returns `false` if none may start, or the call has ended. */
  readonly startAttempt: () => boolean;
  /** Whether nothing can cut the attempt that has started short, and no call inside it has to find it. */
  readonly isBare: boolean;
  /**
   * Calls the function of the attempt that has started, within its timeout and until the caller aborts.
   *
   * @param parameters - `undefined` for a function that takes the attempt's context
   */
  readonly invoke: (self: unknown, parameters: unknown[] | undefined) => unknown;
  /** Returns whether the result is returned to the caller; a refused one is treated as a failure. */
  readonly accepts: (result: unknown) => boolean;
  /** Decides what follows a failed attempt. */
  readonly fail: (failure: Failure) => void;
  /** Waits for the next attempt; `undefined` without a delay. */
  readonly waitForRetry: () => Promise<void> | undefined;
  /** Awaits the option `beforeRetry` within the total timeout; ends the call if it throws or takes longer. */
  readonly runBeforeRetry: () => Promise<void>;
  /** Returns the last result if that was refused; throws the last error otherwise. */
  readonly finish: () => unknown;
}

/** How calls find the attempt that they are made in. */
export interface Nesting {
  readonly withContext: WithContext;
  /** Runs the function of an attempt; calls that it makes find the attempt by `current`. */
  readonly enter: (attempt: Attempt, run: () => unknown) => unknown;
  /** Returns the attempt that is running around the caller. */
  readonly current: () => ParentAttempt | undefined;
}

/** Set by `guardNestedRetries`, a Node-only subpath, so that browsers and other users do not pay for it. */
export const nested: { nesting?: Nesting | undefined } = {};

/** Options that nothing reads before the first failure. */
type LateOption = 'name' | 'nested' | 'random' | 'clock' | 'unref' | 'reportError';

/**
 * The other options, for which the `Call` object must exist from the start; `true` for those that read its times as
 * well. A new option, and so a new hook, does not compile before it is in this table or in {@link LateOption}.
 */
const READS_TIMES = {
  signal: false,
  budget: false,
  circuitBreaker: false,
  group: false,
  parent: false,
  retryIfResult: false,
  beforeRetry: true,
  onAttempt: true,
  onRetry: true,
  onGiveUp: true,
  onNested: true,
} satisfies Record<Exclude<keyof RetryOptions, LateOption>, boolean>;

/** Plans the calls of a function; policy and options have been checked. */
export function createPlan({ fn, policy, options }: Retried, withContext?: WithContext): Plan {
  const isTimed =
    withContext !== undefined ||
    policy.totalTimeoutMs < Infinity ||
    policy.backoff.type === 'custom' ||
    policy.delays.length > 0 ||
    policy.retryIf !== undefined ||
    isAnyGiven(options, true);
  return {
    fn,
    options,
    withContext,
    policy,
    signal: options.signal,
    budget: options.budget,
    deadlineAt: Infinity,
    depth: 0,
    totalAttempts: allowedAttempts(policy),
    release: undefined,
    clock: clockOf(options),
    isBare:
      !isTimed &&
      policy.attemptTimeoutMs === Infinity &&
      !(policy.initialDelayMs > 0) &&
      !isAnyGiven(options, false),
    isTimed,
  };
}

function clockOf({ clock, reportError, unref }: RetryOptions<never>): Clock {
  return guardedClock(clock, reportError) ?? (unref === true ? backgroundClock : systemClock);
}

function isAnyGiven(options: RetryOptions<never>, readsTimes: boolean): boolean {
  for (const key in READS_TIMES) {
    const option = key as keyof typeof READS_TIMES; // one of its own keys
    if (READS_TIMES[option] === readsTimes && options[option] !== undefined) return true;
  }
  return false;
}
