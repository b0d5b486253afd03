import { computeDelay, definePolicy } from '@retry/core';

/** An awaited run, as far as it matters for the order of polls. */
export interface Polled {
  readonly id: string;
  /** The broker notifies of its end. */
  isKept: boolean;
  /** How often it was polled, up to a bound. */
  polls: number;
  dueAt: number;
}

/** How often to poll without notifications: after 5 ms at first, once a second in the end. */
const POLLS = definePolicy({
  maxAttempts: Infinity,
  backoff: { type: 'exponential', base: 5, factor: 1.5 },
  jitter: 'none',
  maxDelay: '1s',
});

/** From this poll on the delay is one second. */
const LAST_POLL = 15;

/** The delay between two calls of a round, in ms. */
const ROUND_PAUSE_MS = 20;

/** Returns the delay before poll `poll`, counted from 1, in ms. */
export function pollDelayMs(poll: number): number {
  return computeDelay(POLLS, Math.min(poll, LAST_POLL), { random: () => 0 });
}

/**
 * Decides which awaited runs are polled next.
 *
 * 1. New ones are polled immediately.
 * 2. Then those of whose end the broker does not notify, each by its own backoff.
 * 3. The others (*kept*) are polled after a notification, which does not say which run has ended: half of a call is for the
 *    oldest, because lanes are first in, first out; the other half goes round-robin, so that slow old runs do not block the
 *    rest. If one call cannot take them all, more calls follow until the round is complete.
 * 4. Because a notification may be lost, kept ones are also polled without one, at growing intervals while that finds
 *    nothing.
 */
export class PollOrder<Entry extends Polled> {
  /**
   * The runs of whose end the broker does not notify, by number of polls. All entries of a list have the same delay, so each list is in
   * the order of `dueAt`.
   */
  readonly #unkept: readonly Set<Entry>[] = Array.from({ length: LAST_POLL + 1 }, () => new Set<Entry>());
  /** Oldest first. */
  readonly #kept = new Set<Entry>();
  #round: Iterator<Entry> = this.#kept.values();
  #isNotified = false;
  /** The latest poll of kept runs was made without a notification. */
  #isUnnotified = false;
  /** How many kept runs have not been polled in this round. */
  #roundLeft = 0;
  /** Consecutive polls without notification that found nothing. */
  #emptyPolls = 1;
  #keptDueAt = 0;

  /** @param isSubscribed - its end would have been notified whenever it was, so it need not be polled immediately */
  add(entry: Entry, { now, isSubscribed }: { readonly now: number; readonly isSubscribed: boolean }): void {
    entry.dueAt = now;
    if (this.#kept.size === 0) this.#resetBackoff(now);
    if (isSubscribed && entry.isKept) this.#kept.add(entry);
    else this.#unkept[0]?.add(entry);
  }

  /** Removes a run that is no longer awaited. */
  delete(entry: Entry): void {
    if (!this.#kept.delete(entry)) this.#unkept[entry.polls]?.delete(entry);
  }

  /** Notes that one of the kept runs may have ended. */
  notify(): void {
    this.#isNotified = true;
  }

  /** Returns the runs to poll now, at most `size`. */
  next(now: number, size: number): readonly Entry[] {
    const entries = new Set<Entry>();
    for (const list of this.#unkept)
      for (const entry of list) {
        if (entry.dueAt > now || entries.size === size) break;
        entries.add(entry);
      }
    if (this.#kept.size > 0 && (this.#isNotified || this.#keptDueAt <= now))
      this.#addKept(entries, { now, size });
    return [...entries];
  }

  /** Notes that these were polled and have not ended; `keptEnded` others of the same poll had. */
  notePoll(
    entries: readonly Entry[],
    { now, keptEnded }: { readonly now: number; readonly keptEnded: number },
  ): void {
    for (const entry of entries) if (!this.#kept.has(entry)) this.#pollLater(entry, now);
    if (keptEnded === 0) return;
    // Notifications are being lost, or the subscription has only just begun.
    if (this.#isUnnotified) this.#resetBackoff(now);
    // If half of them had ended, more will have: the next poll need not wait for a notification.
    if (keptEnded >= entries.length) this.#isNotified = true;
  }

  /** When the next poll is due, in epoch milliseconds; `Infinity` without runs. */
  nextDueAt(): number {
    let dueAt = this.#kept.size === 0 ? Infinity : this.#isNotified ? 0 : this.#keptDueAt;
    for (const [first] of this.#unkept) dueAt = Math.min(dueAt, first?.dueAt ?? Infinity);
    return dueAt;
  }

  #addKept(entries: Set<Entry>, { now, size }: { readonly now: number; readonly size: number }): void {
    const kept = this.#kept.size;
    const room = size - entries.size;
    const oldest = entries.size + (room >= kept ? kept : room >> 1);
    if (this.#isNotified) this.#roundLeft = kept;
    for (const entry of this.#kept) {
      if (entries.size >= oldest) break;
      entries.add(entry);
    }
    let turns = 0;
    for (; turns < kept && entries.size < size; turns += 1) entries.add(this.#nextOfRound());
    this.#isUnnotified = !this.#isNotified && this.#roundLeft === 0;
    if (this.#isUnnotified) this.#emptyPolls += 1;
    this.#isNotified = false;
    this.#roundLeft = room >= kept ? 0 : Math.max(0, this.#roundLeft - turns);
    this.#keptDueAt = now + (this.#roundLeft > 0 ? ROUND_PAUSE_MS : pollDelayMs(this.#emptyPolls));
  }

  #nextOfRound(): Entry {
    const next = this.#round.next();
    if (next.done !== true) return next.value;
    this.#round = this.#kept.values();
    return this.#nextOfRound();
  }

  #pollLater(entry: Entry, now: number): void {
    this.delete(entry);
    entry.polls = Math.min(entry.polls + 1, LAST_POLL);
    entry.dueAt = now + pollDelayMs(entry.polls);
    if (entry.isKept) this.#kept.add(entry);
    else this.#unkept[entry.polls]?.add(entry);
  }

  /** Starts the polls without notification again with short delays. */
  #resetBackoff(now: number): void {
    this.#emptyPolls = 1;
    this.#keptDueAt = now + pollDelayMs(1);
  }
}
