import type { BudgetEvent, BudgetInput, BudgetState, Clock } from '@retry/core';
import { defineBudget, isRetryError, matchesError, openBudget, stepBudget } from '@retry/core';
import { readOptions } from '@retry/core/fields';
import { A_CLOCK, SYNCHRONOUS } from '../call/option-rules.ts';
import { report } from '../call/report-error.ts';
import { systemClock } from '../time/clock.ts';

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
  readonly clock?: Clock | undefined;
  /**
   * Which price an error has. When it throws, or answers with anything but text, it is `'default'`, and what it threw
   * is reported as what a hook throws is. @default 'timeout' for timeouts, else 'default'
   */
  readonly kindOf?: ((error: unknown) => string) | undefined;
}

/**
 * A budget to be shared by calls to one dependency: an outage is then not answered by a multiple of the traffic.
 * When it is empty, failures are final; first attempts are always made.
 *
 * @throws {InvalidOptionsError} when the budget or an option is invalid
 * @see docs/sources.md#retry-budgets
 */
export function createRetryBudget(input: BudgetInput, options?: RetryBudgetOptions): RetryBudget {
  const budget = defineBudget(input);
  const { clock, kindOf } = readBudgetOptions(options);
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

function readBudgetOptions(options: unknown): {
  readonly clock: Clock;
  readonly kindOf: (error: unknown) => string;
} {
  return readOptions(options, { subject: 'retry budget', keys: ['clock', 'kindOf'] }, (fields) => {
    const given = fields.optional('kindOf', SYNCHRONOUS) as RetryBudgetOptions['kindOf']; // the rule has looked at it
    const clock = fields.optional('clock', A_CLOCK) as Clock | undefined; // the rule has looked at it
    return { clock: clock ?? systemClock, kindOf: given === undefined ? timeoutOrDefault : guarded(given) };
  });
}

/** A price is asked for while a failure is decided on: whatever the answer, the decision goes on. */
function guarded(kindOf: (error: unknown) => unknown): (error: unknown) => string {
  return (error) => {
    try {
      const kind = kindOf(error);
      return typeof kind === 'string' ? kind : 'default';
    } catch (thrown) {
      report(thrown);
      return 'default';
    }
  };
}

function timeoutOrDefault(error: unknown): string {
  const isTimeout = isRetryError(error, 'ATTEMPT_TIMEOUT') || isRetryError(error, 'TOTAL_TIMEOUT');
  return isTimeout || matchesError({ name: 'TimeoutError' }, error) ? 'timeout' : 'default';
}
