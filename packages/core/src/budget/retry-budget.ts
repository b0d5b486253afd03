import type { BudgetEvent, BudgetState } from './budget.ts';

/** Limits the retries of all calls, or of all runs, that share it. Made by `createRetryBudget` or `createSharedBudget`. */
export interface RetryBudget {
  /** Returns whether the budget can pay for a retry after this error now. */
  readonly allowsRetry: (error: unknown) => boolean;
  /**
   * Records an event. Calls and tasks that have this budget as an option do it by themselves.
   *
   * @returns the price of a granted retry, else 0
   */
  readonly record: (event: BudgetEvent) => number;
  /** Records a retry after this error. */
  readonly spend: (error: unknown) => number;
  /**
   * Resolves when a budget that has no tokens has been answered by whatever keeps them, and never rejects; `undefined` when there is
   * nothing to wait for. Calls and runs of tasks wait for it before a failed attempt is final.
   */
  readonly ready?: () => Promise<void> | undefined;
  /** Returns the state now, for a gauge: what time has refilled is in it. */
  readonly state: () => BudgetState;
}

/** A failure that a budget counts once, before it is asked for a retry. */
export class CountedFailure {
  readonly #budget: Pick<RetryBudget, 'allowsRetry' | 'record'>;
  /** What the attempt threw, by which the budget finds the price of a retry. */
  readonly error: unknown;
  #isCounted = false;

  constructor(budget: Pick<RetryBudget, 'allowsRetry' | 'record'>, error: unknown) {
    this.#budget = budget;
    this.error = error;
  }

  /** Whether the budget can pay for a retry. Read when nothing else forbids that. */
  get allowsRetry(): boolean {
    this.count();
    return this.#budget.allowsRetry(this.error);
  }

  /** Records the failure, if that has not been done. */
  count(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.#budget.record({ type: 'failure' });
  }
}
