import type { BudgetEvent } from '../../budget/budget.ts';
import { openBucket, renewLease } from '../../budget/fleet/bucket.ts';
import type { Lease } from '../../budget/fleet/lease.ts';
import {
  beginRenewal,
  endRenewal,
  isRenewalDue,
  noteEvent,
  openLease,
  spendToken,
  tokensOf,
} from '../../budget/fleet/lease.ts';
import type { SharedBudget } from '../../budget/fleet/shared-budget.ts';
import type { EventQueue } from './event-queue.ts';

/** How a process asks its budget, and informs it. */
export interface BudgetOfProcess {
  /** Returns whether the budget would pay for a retry once the failure is recorded; `undefined` without a budget. */
  readonly allowsRetry: (kind: string) => { readonly allowsRetry: boolean } | undefined;
  /** Records an event of the budget. @returns what a granted retry cost, else 0 */
  readonly record: (event: BudgetEvent) => number;
}

/** What the store takes for a renewal, in ms: two calls of one nearby. */
const STORE_MS = 2;

/** Returns what opens the budget of each further process: all take their leases from one bucket, by the code of production. */
export function shareBudget(budget: SharedBudget, queue: EventQueue): () => BudgetOfProcess {
  const store = { budget, queue, bucket: openBucket(budget, queue.now()) };
  return () => new LeaseOfProcess(store);
}

/** The bucket of all processes, which changes. */
interface Store {
  readonly budget: SharedBudget;
  readonly queue: EventQueue;
  bucket: ReturnType<typeof openBucket>;
}

class LeaseOfProcess implements BudgetOfProcess {
  readonly #store: Store;
  #lease: Lease;

  constructor(store: Store) {
    this.#store = store;
    this.#lease = openLease(store.queue.now());
  }

  /** What it returns is read only where the policy allows the retry. */
  readonly allowsRetry = (): { readonly allowsRetry: boolean } => {
    const isGranted = (): boolean => this.#isGranted();
    return {
      get allowsRetry(): boolean {
        return isGranted();
      },
    };
  };

  readonly record = ({ type }: BudgetEvent): number => {
    if (type === 'request') this.#note('requests');
    if (type !== 'retry') return 0;
    this.#lease = spendToken(this.#lease, this.#store.queue.now());
    this.#note('asked');
    return 1;
  };

  #isGranted(): boolean {
    if (tokensOf(this.#lease, this.#store.queue.now()) >= 1) return true;
    this.#note('asked');
    return false;
  }

  #note(type: 'asked' | 'requests'): void {
    const { budget, queue } = this.#store;
    const nowAt = queue.now();
    this.#lease = noteEvent(budget, this.#lease, { type, nowAt });
    if (isRenewalDue(budget, this.#lease, nowAt)) this.#renew(nowAt);
  }

  #renew(sentAt: number): void {
    const { budget, queue } = this.#store;
    const { lease, renewal } = beginRenewal(budget, this.#lease, { nowAt: sentAt });
    this.#lease = lease;
    queue.after(STORE_MS, () => {
      const nowAt = queue.now();
      const { bucket, taken } = renewLease(budget, this.#store.bucket, { renewal, nowAt });
      this.#store.bucket = bucket;
      const end = { type: 'renewed', held: { taken, slice: bucket.slice }, sentAt } as const;
      this.#lease = endRenewal(budget, this.#lease, { end, wanted: renewal.wanted, nowAt });
    });
  }
}
