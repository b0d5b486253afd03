/**
 * Stops the calls to a dependency that fails too often, until a probe has succeeded. Plain data; `stepBreaker` updates
 * its state.
 */
export interface CircuitBreakerSettings {
  /** The share of failures at which it opens, `0 < failureRatio ≤ 1`. */
  readonly failureRatio: number;
  /** How many outcomes the window has before it may open, an integer ≥ 1. */
  readonly minimumThroughput: number;
  /** The length of the sliding window of outcomes, `1 ≤ ms < Infinity`. */
  readonly samplingDurationMs: number;
  /** How long it stays open before a probe, and how long a probe may take, `1 ≤ ms < Infinity`. */
  readonly breakDurationMs: number;
}

/**
 * The state of a circuit breaker. Plain data, created by `closeBreaker`.
 *
 * ```
 *            enough failures                break is over: probe
 *   closed ───────────────────▶ open ────────────────────────────▶ half-open
 *     ▲                           ▲                                 │  │  ▲
 *     │                           └────────── probe fails ──────────┘  │  │ probe is abandoned or
 *     └────────────────────────────────────── probe succeeds ──────────┘  └─ does not report: next one
 * ```
 */
export type BreakerState = ClosedBreaker | OpenBreaker | HalfOpenBreaker;

/** Calls may go; their outcomes are counted. */
export interface ClosedBreaker {
  readonly type: 'closed';
  /** The ticket of the calls that may report now. */
  readonly ticket: number;
  /** Successes in each slice of the window, newest first. */
  readonly successes: readonly number[];
  /** Failures in each slice of the window, newest first. */
  readonly failures: readonly number[];
  /** When the newest slice begins, in epoch milliseconds. */
  readonly steppedAt: number;
}

/** No call may go before `until`. */
export interface OpenBreaker {
  readonly type: 'open';
  /** The ticket of the state before. No outcome counts now; the probe gets a higher one. */
  readonly ticket: number;
  /** When a probe may go, in epoch milliseconds. */
  readonly until: number;
}

/** One call, the probe, may be under way; only its outcome counts. */
export interface HalfOpenBreaker {
  readonly type: 'half-open';
  /** The ticket of the probe. */
  readonly ticket: number;
  /** When the next probe may go if this one has not reported, in epoch milliseconds. */
  readonly until: number;
}

/** What happened at the dependency. */
export type BreakerEvent =
  /** A call asks whether it may go. */
  | { readonly type: 'permit' }
  /**
   * A call has ended: well, in failure, or without saying anything about the dependency (it was aborted, or failed by
   * itself). `ticket` is that of its permit, or that of the state in which it started; an outcome with an older one
   * changes nothing.
   */
  | { readonly type: 'success' | 'failure' | 'abandon'; readonly ticket: number };

/** What an event has caused. */
export type BreakerEffect =
  | { readonly type: 'none' }
  | {
      readonly type: 'permitted';
      /** The ticket to pass with the outcome of the call. */
      readonly ticket: number;
      /** Whether the outcome of this call closes or opens the breaker. */
      readonly isProbe: boolean;
    }
  | {
      readonly type: 'refused';
      /** Milliseconds until a call may go, `0 < ms ≤ breakDurationMs`. */
      readonly retryAfterMs: number;
    }
  | { readonly type: 'opened'; readonly until: number }
  | { readonly type: 'closed' };

/** The result of an event. */
export interface BreakerStep {
  /** The state to give to the next step. */
  readonly state: BreakerState;
  /** Whether a call may go, or the breaker has opened or closed; else `none`. */
  readonly effect: BreakerEffect;
}
