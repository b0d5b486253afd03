import type { BudgetEvent } from '../../budget/budget.ts';
import type { Renewal } from '../../budget/fleet/bucket.ts';
import { openBucket, renewLease } from '../../budget/fleet/bucket.ts';
import { HeldLease } from '../../budget/fleet/held-lease.ts';
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
  return () => new BudgetOfOne(store);
}

/** The bucket of all processes, which changes. */
interface Store {
  readonly budget: SharedBudget;
  readonly queue: EventQueue;
  bucket: ReturnType<typeof openBucket>;
}

class BudgetOfOne implements BudgetOfProcess {
  readonly #store: Store;
  readonly #lease: HeldLease;

  constructor(store: Store) {
    const { queue } = store;
    this.#store = store;
    this.#lease = new HeldLease(store.budget, {
      now: () => queue.now(),
      after: (delayMs, act) => queue.after(delayMs, act),
      send: (renewal) => this.#renew(renewal),
    });
  }

  readonly allowsRetry = (): boolean => {
    const nowAt = this.#store.queue.now();
    if (this.#lease.tokensAt(nowAt) >= 1) return true;
    this.#lease.noteRetry({ isGranted: false, nowAt });
    return false;
  };

  readonly isUnanswered = (): boolean => {
    const nowAt = this.#store.queue.now();
    return this.#lease.tokensAt(nowAt) < 1 && this.#lease.isAnswerComing(nowAt);
  };

  readonly onAnswer = (act: () => void): void => {
    this.#store.queue.after(WAIT_MS, this.#lease.wait(act));
  };

  readonly record = ({ type }: BudgetEvent): number => {
    const nowAt = this.#store.queue.now();
    if (type === 'request') this.#lease.noteRequest(nowAt);
    if (type !== 'retry') return 0;
    this.#lease.noteRetry({ isGranted: true, nowAt });
    return 1;
  };

  #renew(renewal: Renewal): void {
    const { budget, queue } = this.#store;
    const sentAt = queue.now();
    queue.after(STORE_MS, () => {
      const { bucket, taken } = renewLease(budget, this.#store.bucket, { renewal, nowAt: queue.now() });
      this.#store.bucket = bucket;
      const held = { taken, slice: bucket.slice };
      this.#lease.endRenewal({ type: 'renewed', held, sentAt }, renewal);
    });
  }
}
