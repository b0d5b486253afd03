/**
 * Limits the retries of all calls to one dependency together, so that an outage does not multiply the traffic. Plain
 * data; {@link stepBudget} updates its state.
 */
export type Budget = TokenBucket | RatioBudget | ThrottleBudget;

/** Retries cost tokens, successes refund some (AWS SDK: capacity 500, 5 per retry, 10 per timeout, refund 1). */
export interface TokenBucket {
  readonly type: 'token-bucket';
  /** The most tokens, with which it begins. */
  readonly capacity: number;
  /** Tokens per retry by the kind of failure; `default` applies to any other kind. */
  readonly costs: Readonly<Record<string, number>> & { readonly default: number };
  /** Tokens that a success refunds if its call has paid for no retry. */
  readonly refund: number;
  /** Tokens added per second. */
  readonly refillPerSecond: number;
}

/** Retries up to a share of the requests in a sliding window, plus a minimum rate (Finagle: 20 % and 10/s). */
export interface RatioBudget {
  readonly type: 'ratio';
  /** Retries allowed per request, `0 ≤ ratio`. */
  readonly ratio: number;
  /** Retries per second that are allowed regardless of the traffic. */
  readonly minPerSecond: number;
  /** The length of the window. */
  readonly windowMs: number;
}

/**
 * A failure takes one token, a success adds `tokenRatio`; no retries while at most half of `maxTokens` is left (gRPC's
 * retryThrottling).
 */
export interface ThrottleBudget {
  readonly type: 'throttle';
  /** The most tokens, with which it begins. */
  readonly maxTokens: number;
  /** Tokens that a success adds. */
  readonly tokenRatio: number;
}

/** Tolerance of token comparisons: in floating point, ten times 0.1 is slightly less than 1. */
export const DUST = 1e-9;

/** What happened at the dependency. */
export type BudgetEvent =
  /** A first attempt starts. */
  | { readonly type: 'request' }
  /** A retry is requested; `kind` selects its price. */
  | { readonly type: 'retry'; readonly kind?: string | undefined }
  /** An attempt succeeded; `paid` is the price of its call's latest retry, if it made one, which is refunded, as by the AWS SDK. */
  | { readonly type: 'success'; readonly paid?: number | undefined }
  /** An attempt failed. */
  | { readonly type: 'failure' };

/** The state of a budget. Plain data, created by {@link openBudget}. */
export interface BudgetState {
  /** Tokens left; for a ratio budget, the balance of each slice of the window, newest first, without the reserve. */
  readonly tokens: readonly number[];
  /** When tokens were refilled last, or when the newest slice of the window begins; epoch milliseconds. */
  readonly steppedAt: number;
}

/** The result of an event. A refused retry takes no tokens. */
export interface BudgetStep {
  /** The state to give to the next step. */
  readonly state: BudgetState;
  /** `false` only for a retry that the budget cannot pay. */
  readonly isGranted: boolean;
  /** The price of a granted retry, else 0. */
  readonly paid: number;
}
