/** Nothing was done: another client's transaction has the run or its key, or something in the same call. Ask again later. */
export type Locked = 'locked';

/** What a call does about another client's transaction. */
export interface LockOptions {
  /**
   * `wait`: until the transaction ends. `answer`: those that would wait are answered `locked`, for callers that share a call: one of them
   * would hold up the others. Calls of most brokers never have to wait. @default 'wait'
   */
  readonly whenLocked?: 'wait' | 'answer';
}
