/** Why retrying ends. */
export type FailReason =
  /** No `retryOn` matcher means the error. */
  | 'unexpected'
  /** `maxAttempts` are used up. */
  | 'exhausted'
  /** The policy says `retryable: false`. */
  | 'not-retryable'
  /** `stopOn`, a `NonRetryableError` or the gate said no; or a gate, predicate or strategy threw. */
  | 'stopped'
  /** The next attempt could not start before the deadline. */
  | 'total-timeout'
  /** The server forbade a retry, or asked for more than `retryAfter.max`. */
  | 'retry-after'
  /** The retry budget is empty. */
  | 'budget';

/** What to do after a failed attempt. */
export type Decision =
  | {
      readonly type: 'retry';
      /** Milliseconds to wait, `0 ≤ delayMs < Infinity`. */
      readonly delayMs: number;
      /** When the next attempt may start: `now + delayMs`, at most `MAX_INSTANT_AT`. */
      readonly runAt: number;
    }
  | {
      readonly type: 'fail';
      readonly reason: FailReason;
      /** What a gate, predicate or strategy threw. It never takes the place of the error it was asked about. */
      readonly thrown?: unknown;
    };

/** What a server said about when to come back. Absent, malformed and too long are different answers. */
export type ServerDelay =
  | { readonly type: 'absent' }
  | { readonly type: 'delay'; readonly delayMs: number }
  /** "Do not retry." */
  | { readonly type: 'refused' }
  | { readonly type: 'malformed'; readonly header: string; readonly value: string };

/** One failed attempt. */
export interface Failure {
  /** What was thrown, whatever it is. */
  readonly error: unknown;
  /** What the server said. @default what `readServerDelay` finds on the error */
  readonly serverDelay?: ServerDelay | undefined;
  /**
   * Whether the attempt was cut by the policy's own `attemptTimeout`, whatever the error is. @default whether the error
   * is an `AttemptTimeoutError`
   */
  readonly timedOut?: boolean | undefined;
}

/** What a decision may know about the world; core itself reads no clock and rolls no dice. */
export interface DecisionContext {
  /** Now, in epoch milliseconds of whichever clock the caller keeps. */
  readonly now: number;
  /** Source of randomness: each call gives a number in [0, 1). */
  readonly random: () => number;
  /** When the work began, its `initialDelay` included, by the same clock; the deadline counts from it. @default now */
  readonly startedAt?: number | undefined;
  /** How long the attempt took that failed; custom strategies may read it. */
  readonly attemptMs?: number | undefined;
  /** An outer deadline; the earlier of the two holds. @default Infinity */
  readonly deadlineAt?: number | undefined;
  /** Whether a shared retry budget would pay for one more retry. @default a budget that always would */
  readonly budget?: { readonly allowsRetry: boolean } | undefined;
}
