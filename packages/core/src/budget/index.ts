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
export type { Renewal, Renewed, SharedBucket } from './fleet/bucket.ts';
export { openBucket, refillBucket, renewLease } from './fleet/bucket.ts';
export type { Lease, RenewalEnd } from './fleet/lease.ts';
export {
  beginRenewal,
  endRenewal,
  isRenewalDue,
  noteEvent,
  openLease,
  spendToken,
  tokensOf,
} from './fleet/lease.ts';
export type { SharedBudget, SharedBudgetInput } from './fleet/shared-budget.ts';
export {
  defineSharedBudget,
  localBudgetOf,
  readSharedBudget,
  SHARED_BUDGET_KEYS,
} from './fleet/shared-budget.ts';
export { allowsRetry, budgetAt, openBudget, stepBudget } from './step-budget.ts';
