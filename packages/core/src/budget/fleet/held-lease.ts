import type { Renewal } from './bucket.ts';
import type { Lease, RenewalEnd } from './lease.ts';
import {
  beginRenewal,
  endRenewal,
  hasPlenty,
  isRenewalDue,
  noteEvent,
  openLease,
  spendToken,
  tokensOf,
} from './lease.ts';
import type { SharedBudget } from './shared-budget.ts';

/** What a lease needs of the process that holds it. */
export interface LeaseHolder {
  /** The process's clock, in ms. */
  readonly now: () => number;
  /** Calls the function after so many ms. */
  readonly after: (delayMs: number, act: () => void) => void;
  /** Sends a renewal to the bucket. Its end is told by `endRenewal`, later than this returns. */
  readonly send: (renewal: Renewal) => void;
}

/** A lease in the hands of a process: when it is renewed, and which failures wait for its tokens. */
export class HeldLease {
  readonly #budget: SharedBudget;
  readonly #holder: LeaseHolder;
  #lease: Lease;
  /** Ends the wait of each failure that waits for tokens, in their order. */
  readonly #waits = new Set<() => void>();
  /** Whether a renewal is to be sent once the rest after the one before is over. */
  #isRenewalSet = false;

  constructor(budget: SharedBudget, holder: LeaseHolder) {
    this.#budget = budget;
    this.#holder = holder;
    this.#lease = openLease(holder.now());
  }

  /** How many tokens may be spent. */
  tokensAt(nowAt: number): number {
    return tokensOf(this.#lease, nowAt);
  }

  /** Notes a first attempt. */
  noteRequest(nowAt: number): void {
    this.#note('requests', nowAt);
  }

  /** Notes that a retry was asked for. One that is granted spends a token, if the lease has one. */
  noteRetry({ isGranted, nowAt }: { readonly isGranted: boolean; readonly nowAt: number }): void {
    if (isGranted) this.#lease = spendToken(this.#lease, nowAt);
    this.#note('asked', nowAt);
    if (isGranted) this.#renewAfterRest(nowAt);
  }

  /** Sends a renewal if it is due, and returns whether tokens may be there soon. */
  isAnswerComing(nowAt: number): boolean {
    this.#renewIfDue(nowAt);
    return this.#lease.spentSince !== undefined || hasPlenty(this.#budget, this.#lease);
  }

  /** Calls the function once, when there is a token for it or the bucket has too few. @returns what calls it before that */
  wait(act: () => void): () => void {
    const end = (): void => {
      if (this.#waits.delete(end)) act();
    };
    this.#waits.add(end);
    this.#renewAfterRest(this.#holder.now());
    return end;
  }

  /** Ends the renewal that was sent, and the waits for which there are tokens: those of the lease, and others that the process has. */
  endRenewal(end: RenewalEnd, { wanted }: Renewal, otherTokens = 0): void {
    const nowAt = this.#holder.now();
    this.#lease = endRenewal(this.#budget, this.#lease, { end, wanted, nowAt });
    const isMoreComing = hasPlenty(this.#budget, this.#lease);
    const ended = isMoreComing ? this.tokensAt(nowAt) + otherTokens : this.#waits.size;
    for (const endWait of [...this.#waits].slice(0, ended)) endWait();
    if (this.#waits.size > 0) this.#renewAfterRest(nowAt);
  }

  #note(type: 'asked' | 'requests', nowAt: number): void {
    this.#lease = noteEvent(this.#budget, this.#lease, { type, nowAt });
    this.#renewIfDue(nowAt);
  }

  #renewIfDue(nowAt: number): void {
    if (!isRenewalDue(this.#budget, this.#lease, nowAt)) return;
    const waiting = this.#waits.size;
    const { lease, renewal } = beginRenewal(this.#budget, this.#lease, { nowAt, waiting });
    this.#lease = lease;
    this.#holder.send(renewal);
  }

  /** What was spent is told soon, though no call may follow: the bucket adds nothing for a token that it counts as leased. */
  #renewAfterRest(nowAt: number): void {
    const restMs = this.#lease.renewableAt - nowAt;
    if (restMs <= 0) this.#renewIfDue(nowAt);
    else if (!this.#isRenewalSet) this.#setRenewal(restMs);
  }

  #setRenewal(restMs: number): void {
    this.#isRenewalSet = true;
    this.#holder.after(restMs, () => {
      this.#isRenewalSet = false;
      this.#renewIfDue(this.#holder.now());
    });
  }
}
