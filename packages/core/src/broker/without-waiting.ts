import type { SettleAnswer, Settlement } from './settlement.ts';
import type { Submission, SubmitAnswer } from './submission.ts';

/** Nothing was done: another client's transaction has the run or its key, or something in the same call. Ask again later. */
export type Locked = 'locked';

/** Verbs as those of a broker, which answer `locked` at once instead of waiting until another client's transaction ends. */
export interface WithoutWaiting {
  /** As `submit` of a broker. */
  readonly submit: (submissions: readonly Submission[]) => Promise<readonly (SubmitAnswer | Locked)[]>;
  /** As `settleAndClaim` without a claim. A handler that completes its run in a transaction keeps it locked until that ends. */
  readonly settle: (settlements: readonly Settlement[]) => Promise<readonly (SettleAnswer | Locked)[]>;
}
