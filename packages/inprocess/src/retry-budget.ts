import type { BudgetEvent, BudgetInput, BudgetState, Clock } from '@retry/core';
import { defineBudget, isRetryError, openBudget, stepBudget } from '@retry/core';
import { systemClock } from './clock.ts';

/** What all calls that share it may spend on retries together. Made by `createRetryBudget`. */
export interface RetryBudget {
  /** Whether it would pay for a retry after this error now. */
  readonly allowsRetry: (error: unknown) => boolean;
  /**
   * Tells it what happened; the calls that were given it do so by themselves.
   *
   * @returns what a granted retry cost, else 0
   */
  readonly record: (event: BudgetEvent) => number;
  /** Tells it of a retry after this error. */
  readonly spend: (error: unknown) => number;
  /** Where it stands, for a gauge. */
  readonly state: () => BudgetState;
}

/** How a shared budget is kept. */
export interface RetryBudgetOptions {
  /** @default the runtime's own clock */
  readonly clock?: Clock;
  /** Which price an error has; must not throw. @default 'timeout' for timeouts, else 'default' */
  readonly kindOf?: (error: unknown) => string;
}

/**
 * A budget to be shared by calls to one dependency: an outage is then not answered by a multiple of the traffic.
 * When it is empty, failures are final; first attempts are always made.
 *
 * @throws {PolicyError} when the budget is invalid
 * @see docs/sources.md#retry-budgets
 */
export function createRetryBudget(input: BudgetInput, options: RetryBudgetOptions = {}): RetryBudget {
  const { clock = systemClock, kindOf = timeoutOrDefault } = options;
  const budget = defineBudget(input);
  let state = openBudget(budget, clock.now());
  const step = (event: BudgetEvent) => stepBudget(budget, state, event, clock.now());
  const record = (event: BudgetEvent): number => {
    const { state: next, paid } = step(event);
    state = next;
    return paid;
  };
  return {
    allowsRetry: (error) => step({ type: 'retry', kind: kindOf(error) }).isGranted,
    record,
    spend: (error) => record({ type: 'retry', kind: kindOf(error) }),
    state: () => state,
  };
}

function timeoutOrDefault(error: unknown): string {
  const isTimeout = isRetryError(error, 'ATTEMPT_TIMEOUT') || (error as Named)?.name === 'TimeoutError'; // any value may be asked for a name
  return isTimeout ? 'timeout' : 'default';
}

type Named = { readonly name?: unknown } | null | undefined;
