export type {
  Budget,
  BudgetEvent,
  BudgetState,
  BudgetStep,
  RatioBudget,
  ThrottleBudget,
  TokenBucket,
} from './budget.ts';
export type { BudgetInput } from './define-budget.ts';
export { defineBudget } from './define-budget.ts';
export type { RetryBudget } from './retry-budget.ts';
export { allowsRetry, budgetAt, openBudget, stepBudget } from './step-budget.ts';
