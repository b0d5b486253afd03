export type {
  Budget,
  BudgetEvent,
  BudgetState,
  BudgetStep,
} from './budget.ts';
export type { BudgetInput } from './define-budget.ts';
export { defineBudget } from './define-budget.ts';
export { allowsRetry, budgetAt, openBudget, stepBudget } from './step-budget.ts';
