/** The arithmetic of a budget that processes share: for adapters, which keep its bucket. */

export type { Renewal, Renewed, SharedBucket } from './bucket.ts';
export { openBucket, refillBucket, renewLease } from './bucket.ts';
export type { LeaseHolder } from './held-lease.ts';
export { HeldLease } from './held-lease.ts';
export type { RenewalEnd } from './lease.ts';
export type { SharedBudget, SharedBudgetInput } from './shared-budget.ts';
export {
  defineSharedBudget,
  localBudgetOf,
  readSharedBudget,
  SHARED_BUDGET_KEYS,
} from './shared-budget.ts';
