/** What a handler's call of `ctx.retry` asked for; without `delayMs` and `at`, the policy says when. */
export interface AskedRetry {
  readonly delayMs?: number | undefined;
  /** Epoch milliseconds; `delayMs` takes precedence. */
  readonly at?: number | undefined;
  /** May be `Infinity`; absent: that of the policy. */
  readonly maxAttempts?: number | undefined;
  /** The handler's own. */
  readonly error?: unknown;
}

/** What a handler's call of `ctx.release` asked for. */
export interface Release {
  readonly delayMs: number;
  readonly reason?: string | undefined;
}

/** How an attempt ended. */
export type Outcome =
  | {
      readonly type: 'completed';
      /** JSON text. */
      readonly result: string;
      /** The handler has committed it in a transaction of its own. */
      readonly isCommitted?: boolean;
    }
  /** The handler threw, or a time limit was reached. */
  | {
      readonly type: 'failed';
      readonly error: unknown;
      /** The attempt's timeout or the total time was reached. */
      readonly isTimeout: boolean;
      /** The total time of the run is over. */
      readonly isOutOfTime?: boolean;
    }
  /** The handler called `ctx.retry`. */
  | { readonly type: 'asked'; readonly request: AskedRetry; readonly error: unknown }
  /** The worker, or the handler, stopped sending heartbeats. */
  | {
      readonly type: 'stalled';
      readonly error: unknown;
      /** Other runs stalled at the same time, so it is not charged. */
      readonly isShared?: boolean;
      /** How many other runs stalled at the same time, if that is to be recorded. */
      readonly stalledWith?: number;
    }
  /** The payload is invalid, or costs what no limit allows: no attempt can succeed. */
  | { readonly type: 'unreadable'; readonly error: unknown }
  | {
      readonly type: 'released';
      /** Present when the handler called `ctx.release`. */
      readonly request?: Release;
      /** How long what the worker gives back has to wait; absent: it is next. */
      readonly delayMs?: number;
    }
  | { readonly type: 'cancelled' }
  /** A concurrency or rate limit was reached. */
  | { readonly type: 'limited' }
  /** The broker returned the run before it was due. */
  | { readonly type: 'early' };

/** The outcome of an execution whose run the worker gives back. */
export const RELEASED: Outcome = { type: 'released' };

/** The outcome of an execution that a limit keeps from starting. */
export const LIMITED: Outcome = { type: 'limited' };
