import type { Plan, PlanPort } from './plan.ts';
import { createPlan } from './plan.ts';
import type { PlanFilter } from './plan-options.ts';

/** The method of dead letters that plans before it acts. */
export interface PlannedDeadLetters {
  /**
   * Returns what a redrive or discard of the selected dead letters would do: how many, by cause and by task, and what load that is.
   * Nothing is changed before `plan.apply()`.
   *
   * @throws {InvalidOptionsError} for an empty filter: `{ all: true }` selects every one of the state
   */
  readonly plan: (filter: PlanFilter) => Promise<Plan>;
}

/** Adds plans to dead letters. */
export function withPlans<Letters extends object>(
  letters: Letters,
  port: PlanPort,
): Letters & PlannedDeadLetters {
  return { ...letters, plan: (filter) => createPlan(port, filter) };
}
