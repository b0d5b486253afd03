/** The arithmetic of a budget that processes share: for adapters, which keep its bucket. */

export type { Renewal, Renewed, SharedBucket } from './bucket.ts';
export { openBucket, refillBucket, renewLease } from './bucket.ts';
export type { Lease, RenewalEnd } from './lease.ts';
export {
  beginRenewal,
  endRenewal,
  hasPlenty,
  isRenewalDue,
  noteEvent,
  openLease,
  spendToken,
  tokensOf,
} from './lease.ts';
export type { SharedBudget, SharedBudgetInput } from './shared-budget.ts';
export {
  defineSharedBudget,
  localBudgetOf,
  readSharedBudget,
  SHARED_BUDGET_KEYS,
} from './shared-budget.ts';
