/** What strategies and gates know about their call or run; nothing of its payload. Set by `decide`. */
export interface RunFacts {
  /** The run's id; only in a worker. */
  readonly id?: string | undefined;
  /** The run's lane, `name@version`; only in a worker. */
  readonly lane?: string | undefined;
  /** Failed attempts, including the one that has just failed. */
  readonly failures?: number | undefined;
  /** Attempts that stalled, including one that has just stalled; only in a worker. */
  readonly stalls?: number | undefined;
  /** Charged attempts that the run brought along from elsewhere; only in a worker. */
  readonly carried?: number | undefined;
  /** Now, in epoch milliseconds; by the broker's clock in a worker. */
  readonly now?: number;
  /** Milliseconds since the call or run began, `initialDelay` and waits included. */
  readonly elapsedMs?: number;
  /** Milliseconds that the failed attempt took, if that is known. */
  readonly attemptMs?: number | undefined;
}

/** What `computeDelay` and a custom strategy receive besides the number of the retry. */
export interface DelayContext extends RunFacts {
  /** Source of randomness: returns a number in [0, 1). */
  readonly random: () => number;
  /** Delay before the previous retry, in milliseconds; absent before retry 1. Decorrelated backoff grows from it. */
  readonly previousDelayMs?: number | undefined;
  /** What the failed attempt threw, or the result that `retryIfResult` refused. */
  readonly error?: unknown;
}

/**
 * A custom backoff: returns the milliseconds before retry `retry` (counted from 1), or `'stop'` to end the retrying with
 * the reason `stopped`. Any other result that is not a finite number is replaced by the base, a negative one by 0.
 */
export type DelayStrategy = (
  retry: number,
  context: DelayContext & { readonly baseMs: number },
) => number | 'stop';

/**
 * A {@link DelayStrategy}; an object with a strategy as `next`; or an object whose `create` returns a new strategy, for
 * strategies with state. In process, each call creates its own at its first retry; in a worker, whose attempts may be far
 * apart, and in `preview`, each delay is computed by a new one.
 */
export type DelayStrategyLike =
  | DelayStrategy
  | { readonly next: DelayStrategy }
  | { readonly create: () => DelayStrategy | { readonly next: DelayStrategy } };

/** What a gate receives besides the error. */
export interface GateContext extends RunFacts {
  /** The attempt that just failed, counted from 1. */
  readonly attempt: number;
}

/** Returns whether to retry after an error that the other error rules allow; must be synchronous. */
export type Gate = (error: unknown, context: GateContext) => boolean;

/** A {@link Gate}, or an object with a gate as `test`. */
export type GateLike = Gate | { readonly test: Gate };

/** Named strategies and gates that a policy may refer to. There is no global registry. */
export interface Registry {
  /** Strategies by the names that `backoff.strategy` may have. */
  readonly strategies?: Readonly<Record<string, DelayStrategyLike>> | undefined;
  /** Gates by the names that `retryIf` may have. */
  readonly gates?: Readonly<Record<string, GateLike>> | undefined;
}
