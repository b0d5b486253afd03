/**
 * A retry budget: what all calls to one dependency may spend on retries together, so that an outage is not
 * answered by a multiple of the traffic. A value; {@link stepBudget} says how its state moves.
 */
export type Budget = TokenBucket | RatioBudget | ThrottleBudget;

/** Retries cost tokens; successes bring some back (AWS SDK: 500 tokens, 5 a retry, 10 a timeout, 1 back). */
export interface TokenBucket {
  readonly type: 'token-bucket';
  readonly capacity: number;
  /** Price of a retry by the kind of failure; `default` is the price of any other kind. */
  readonly costs: Readonly<Record<string, number>> & { readonly default: number };
  /** Tokens that a success brings back when no retry of its call was paid. */
  readonly refund: number;
  /** Tokens that time brings back. */
  readonly refillPerSecond: number;
}

/** A share of the requests within a sliding window, and a few for quiet times (Finagle: 20 % and 10/s). */
export interface RatioBudget {
  readonly type: 'ratio';
  /** Retries allowed per request, `0 ≤ ratio`. */
  readonly ratio: number;
  /** Retries allowed each second whatever the traffic. */
  readonly minPerSecond: number;
  /** How long a request counts. */
  readonly windowMs: number;
}

/** Failures take a token, successes give a part of one; retries stop at half (gRPC's retryThrottling). */
export interface ThrottleBudget {
  readonly type: 'throttle';
  readonly maxTokens: number;
  readonly tokenRatio: number;
}

/** Ten times 0.1 is a little less than 1 in floating point; less than this is no difference. */
export const DUST = 1e-9;

/** What happened at the dependency. */
export type BudgetEvent =
  /** A first attempt is sent. */
  | { readonly type: 'request' }
  /** A retry is asked for; `kind` picks its price. */
  | { readonly type: 'retry'; readonly kind?: string }
  /** An attempt succeeded; `paid` is what the retries of its call cost, given back in full. */
  | { readonly type: 'success'; readonly paid?: number }
  /** An attempt failed. */
  | { readonly type: 'failure' };

/** Where a budget stands. Plain data; start with {@link openBudget}. */
export interface BudgetState {
  /** Tokens left; for a ratio, what the window holds beyond its reserve, per slice, newest first. */
  readonly tokens: readonly number[];
  readonly steppedAt: number;
}

/** A step's result; a refused retry leaves the state as it was. */
export interface BudgetStep {
  readonly state: BudgetState;
  /** `false` only for a retry that the budget cannot pay. */
  readonly isGranted: boolean;
  /** What a granted retry cost. */
  readonly paid: number;
}
