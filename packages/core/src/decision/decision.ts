/** Why retrying ends. */
export type FailReason =
  /** No matcher of `retryOn` matches the error. */
  | 'unexpected'
  /** `maxAttempts` are used up. */
  | 'exhausted'
  /** The policy has `retryable: false`. */
  | 'not-retryable'
  /** `stopOn` matches, it is a `NonRetryableError`, the gate or strategy refused; or a gate, predicate or strategy threw. */
  | 'stopped'
  /** The next attempt could not start within the total timeout. */
  | 'total-timeout'
  /** The server forbade a retry, or asked for a delay over `retryAfter.max`. */
  | 'retry-after'
  /** The retry budget is empty. */
  | 'budget';

/** The decision about a failed attempt. */
export type Decision =
  | {
      readonly type: 'retry';
      /** Milliseconds to wait, `0 ≤ delayMs < Infinity`. */
      readonly delayMs: number;
      /** When the next attempt may start: `now + delayMs`, at most `MAX_INSTANT_AT`. */
      readonly runAt: number;
      /** Present where the delay is the one that a server asked for, and not the policy's own. */
      readonly askedBy?: 'server';
    }
  | {
      readonly type: 'fail';
      /** The first rule that refuses the retry. */
      readonly reason: FailReason;
      /** What a gate, predicate or strategy threw. It never replaces the attempt's own error. */
      readonly thrown?: unknown;
    };

/** The delay that a server asked for. */
export type ServerDelay =
  | { readonly type: 'absent' }
  | { readonly type: 'delay'; readonly delayMs: number }
  /** The server forbade a retry. */
  | { readonly type: 'refused' }
  | { readonly type: 'malformed'; readonly header: string; readonly value: string };

/** One failed attempt. */
export interface Failure {
  /** What was thrown, whatever it is. */
  readonly error: unknown;
  /** The delay that the server asked for. @default the result of `readServerDelay` for the error */
  readonly serverDelay?: ServerDelay | undefined;
  /**
   * Whether the attempt was ended by the policy's own `attemptTimeout`, whatever the error is. @default whether the
   * error is an `AttemptTimeoutError`
   */
  readonly timedOut?: boolean | undefined;
}

/** The time, randomness and limits of a decision; core itself reads no clock and draws no random number. */
export interface DecisionContext {
  /** Now, in epoch milliseconds of the caller's clock. */
  readonly now: number;
  /** Now by the wall clock, which dates of servers are compared with; called only where there is one. @default now */
  readonly wallNow?: (() => number) | undefined;
  /** Source of randomness: returns a number in [0, 1). */
  readonly random: () => number;
  /** When the call or run began, before its `initialDelay`, by the same clock; `totalTimeout` starts here. @default now */
  readonly startedAt?: number | undefined;
  /** How long the failed attempt took, in milliseconds; strategies and gates may read it. */
  readonly attemptMs?: number | undefined;
  /** The run's id, for strategies and gates. */
  readonly id?: string | undefined;
  /** The run's lane, for strategies and gates. */
  readonly lane?: string | undefined;
  /** A further deadline, in epoch milliseconds; the earlier of both applies. @default Infinity */
  readonly deadlineAt?: number | undefined;
  /** Whether a shared retry budget grants one more retry. @default a budget without a limit */
  readonly budget?: { readonly allowsRetry: boolean } | undefined;
}
