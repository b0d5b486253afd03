import type { Clock } from '@retry/core';
import type { BudgetEvent, BudgetInput, RetryBudget } from '@retry/core/budget';
import { budgetAt, defineBudget, openBudget, stepBudget } from '@retry/core/budget';
import { A_CLOCK, findMatch, readOptions, refusePromise } from '@retry/core/fields';
import { report } from '../call/hooks.ts';
import { SYNCHRONOUS } from '../call/option-rules.ts';
import { isTimeout } from '../call/timeouts.ts';
import { systemClock } from '../time/clock.ts';
import { guardedClock } from '../time/guard-clock.ts';

/** Options of a retry budget. Every key is optional. */
export interface RetryBudgetOptions {
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
  /**
   * Returns the kind of an error, which sets its price. If it throws, or returns anything but text, the kind is
   * `'default'`, and what it threw is reported like an error of a hook. @default 'timeout' for timeouts, else 'default'
   */
  readonly kindOf?: ((error: unknown) => string) | undefined;
}

/**
 * Creates a budget to be shared by the calls to one dependency, so that retries do not multiply the traffic during an
 * outage. While it is empty, failures are final; first attempts are always made.
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
    state: () => budgetAt(budget, state, clock.now()),
  };
}

function readBudgetOptions(options: unknown): {
  readonly clock: Clock;
  readonly kindOf: (error: unknown) => string;
} {
  return readOptions(options, { subject: 'retry budget', keys: ['clock', 'kindOf'] }, (fields) => {
    const kindOf = fields.optional('kindOf', SYNCHRONOUS) as RetryBudgetOptions['kindOf']; // checked by the rule
    const clock = fields.optional('clock', A_CLOCK);
    return {
      clock: guardedClock(clock) ?? systemClock,
      kindOf: kindOf === undefined ? timeoutOrDefault : guarded(kindOf),
    };
  });
}

/** A price is asked for while a failure is decided on: an error in `kindOf` must not change the decision. */
function guarded(kindOf: (error: unknown) => unknown): (error: unknown) => string {
  return (error) => {
    try {
      const kind = kindOf(error);
      if (typeof kind === 'string') return kind;
      refusePromise(kind, 'kindOf must not return a promise. Read the kind from the error.');
      return 'default';
    } catch (thrown) {
      report(thrown);
      return 'default';
    }
  };
}

const TIMEOUTS = [{ name: 'TimeoutError' }];

function timeoutOrDefault(error: unknown): string {
  return isTimeout(error) || findMatch(TIMEOUTS, error) >= 0 ? 'timeout' : 'default';
}
