import type { BudgetEvent } from '../../budget/budget.ts';
import type { Renewal } from '../../budget/fleet/bucket.ts';
import { openBucket, renewLease } from '../../budget/fleet/bucket.ts';
import type { Lease } from '../../budget/fleet/lease.ts';
import {
  beginRenewal,
  endRenewal,
  hasPlenty,
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
  /** Returns whether the budget would pay for a retry once the failure is recorded. Asked where the policy allows the retry. */
  readonly allowsRetry: (kind: string) => boolean;
  /** Returns whether it has no tokens, and an answer is to come soon. Asked as `allowsRetry` is, and before it. */
  readonly isUnanswered: () => boolean;
  /** Calls the function when the answer has come. */
  readonly onAnswer: (act: () => void) => void;
  /** Records an event of the budget. @returns what a granted retry cost, else 0 */
  readonly record: (event: BudgetEvent) => number;
}

/** What the store takes for a renewal, in ms: two calls of one nearby. */
const STORE_MS = 2;

/** How long a failure waits for tokens at most, in ms. */
const WAIT_MS = 1_000;

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
  /** Ends the wait of each failure that waits for tokens, in their order. */
  readonly #waits = new Set<() => void>();
  /** Whether a renewal is to be sent once the rest after the one before is over. */
  #isRenewalSet = false;

  constructor(store: Store) {
    this.#store = store;
    this.#lease = openLease(store.queue.now());
  }

  readonly allowsRetry = (): boolean => {
    if (this.#hasToken()) return true;
    this.#note('asked');
    return false;
  };

  readonly isUnanswered = (): boolean => {
    if (this.#hasToken()) return false;
    this.#renewIfDue();
    return this.#lease.spentSince !== undefined || hasPlenty(this.#store.budget, this.#lease);
  };

  readonly onAnswer = (act: () => void): void => {
    const end = (): void => {
      if (this.#waits.delete(end)) act();
    };
    this.#waits.add(end);
    this.#renewAfterRest();
    this.#store.queue.after(WAIT_MS, end);
  };

  readonly record = ({ type }: BudgetEvent): number => {
    if (type === 'request') this.#note('requests');
    if (type !== 'retry') return 0;
    this.#lease = spendToken(this.#lease, this.#store.queue.now());
    this.#note('asked');
    this.#renewAfterRest();
    return 1;
  };

  #hasToken(): boolean {
    return tokensOf(this.#lease, this.#store.queue.now()) >= 1;
  }

  #note(type: 'asked' | 'requests'): void {
    const { budget, queue } = this.#store;
    this.#lease = noteEvent(budget, this.#lease, { type, nowAt: queue.now() });
    this.#renewIfDue();
  }

  #renewIfDue(): void {
    const { budget, queue } = this.#store;
    const sentAt = queue.now();
    if (!isRenewalDue(budget, this.#lease, sentAt)) return;
    const waiting = this.#waits.size;
    const { lease, renewal } = beginRenewal(budget, this.#lease, { nowAt: sentAt, waiting });
    this.#lease = lease;
    queue.after(STORE_MS, () => this.#endRenewal(renewal, sentAt));
  }

  #endRenewal(renewal: Renewal, sentAt: number): void {
    const { budget, queue, bucket: before } = this.#store;
    const nowAt = queue.now();
    const { bucket, taken } = renewLease(budget, before, { renewal, nowAt });
    this.#store.bucket = bucket;
    const end = { type: 'renewed', held: { taken, slice: bucket.slice }, sentAt } as const;
    this.#lease = endRenewal(budget, this.#lease, { end, wanted: renewal.wanted, nowAt });
    this.#endWaits(nowAt);
  }

  /** Ends the wait for each token that there is; of the others only if the bucket had too few. */
  #endWaits(nowAt: number): void {
    const isMoreComing = hasPlenty(this.#store.budget, this.#lease);
    const ended = isMoreComing ? Math.floor(tokensOf(this.#lease, nowAt)) : this.#waits.size;
    for (const end of [...this.#waits].slice(0, ended)) end();
    if (this.#waits.size > 0) this.#renewAfterRest();
  }

  /** What was spent is told soon, though no call may follow. */
  #renewAfterRest(): void {
    const restMs = this.#lease.renewableAt - this.#store.queue.now();
    if (restMs <= 0) this.#renewIfDue();
    else if (!this.#isRenewalSet) this.#setRenewal(restMs);
  }

  #setRenewal(restMs: number): void {
    this.#isRenewalSet = true;
    this.#store.queue.after(restMs, () => {
      this.#isRenewalSet = false;
      this.#renewIfDue();
    });
  }
}
