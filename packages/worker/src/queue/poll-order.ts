import { computeDelay, definePolicy } from '@retry/core';

/** A run that is waited for, as far as it decides when to look for it. */
export interface Sought {
  readonly id: string;
  /** The broker notifies of its end. */
  isKept: boolean;
  /** How often it was looked for, up to a bound. */
  looks: number;
  dueAt: number;
}

/** How often to look for what is not notified: often at first, once a second in the end. */
const POLLS = definePolicy({
  maxAttempts: Infinity,
  backoff: { type: 'exponential', base: 5, factor: 1.5 },
  jitter: 'none',
  maxDelay: '1s',
});

/** From this poll on the delay is one second. */
const LAST_POLL = 15;

/** Between two calls of a round. */
const ROUND_PAUSE_MS = 20;

/** The delay before poll `poll`, counted from 1. */
export function pollDelayMs(poll: number): number {
  return computeDelay(POLLS, Math.min(poll, LAST_POLL), { random: () => 0 });
}

/**
 * Decides which of the runs that are waited for are looked for next.
 *
 * 1. New ones are looked for at once.
 * 2. Then those whose end is not notified are polled, each by its own back-off.
 * 3. The others are looked for when there is a notification, which does not say of which run: half of a call is for the
 *    oldest, as lanes are first in, first out, and the rest goes round, so that slow runs in front hide nothing. Where one
 *    call cannot hold them all, more follow until the round is complete.
 * 4. As a notification may be lost, they are also looked for without one, less and less often while that finds nothing.
 */
export class LookingOrder<Entry extends Sought> {
  /** By number of looks. Within a list all have the same delay, so that it is in the order in which they fall due. */
  readonly #polled: readonly Set<Entry>[] = Array.from({ length: LAST_POLL + 1 }, () => new Set<Entry>());
  /** Oldest first. */
  readonly #kept = new Set<Entry>();
  #round: Iterator<Entry> = this.#kept.values();
  #isNotified = false;
  /** The latest look for kept runs was made without a notification. */
  #isUnasked = false;
  /** How many kept runs have not had their turn since the latest notification. */
  #roundLeft = 0;
  /** Looks without notification in a row that found nothing. */
  #vainLooks = 1;
  #keptDueAt = 0;

  /** @param isHeard - its end would have been notified, whenever it was: it need not be looked for at once */
  add(entry: Entry, { now, isHeard }: { readonly now: number; readonly isHeard: boolean }): void {
    entry.dueAt = now;
    if (this.#kept.size === 0) this.#listenAnew(now);
    if (isHeard && entry.isKept) this.#kept.add(entry);
    else this.#polled[0]?.add(entry);
  }

  delete(entry: Entry): void {
    if (!this.#kept.delete(entry)) this.#polled[entry.looks]?.delete(entry);
  }

  /** One of the kept runs may have ended. */
  notify(): void {
    this.#isNotified = true;
  }

  /** The runs to look for now, at most `size`. */
  next(now: number, size: number): readonly Entry[] {
    const entries = new Set<Entry>();
    for (const list of this.#polled)
      for (const entry of list) {
        if (entry.dueAt > now || entries.size === size) break;
        entries.add(entry);
      }
    if (this.#kept.size > 0 && (this.#isNotified || this.#keptDueAt <= now))
      this.#addKept(entries, { now, size });
    return [...entries];
  }

  /** These were looked for and have not ended; `keptEnded` of the others had. */
  looked(
    entries: readonly Entry[],
    { now, keptEnded }: { readonly now: number; readonly keptEnded: number },
  ): void {
    for (const entry of entries) if (!this.#kept.has(entry)) this.#lookLater(entry, now);
    if (keptEnded === 0) return;
    // Notifications are lost, or have just begun to be listened to.
    if (this.#isUnasked) this.#listenAnew(now);
    // Where half had ended, more will have: the next call need not wait for a notification.
    if (keptEnded >= entries.length) this.#isNotified = true;
  }

  /** When there is something to look for next, in epoch milliseconds; `Infinity` without runs. */
  nextDueAt(): number {
    let dueAt = this.#kept.size === 0 ? Infinity : this.#isNotified ? 0 : this.#keptDueAt;
    for (const [first] of this.#polled) dueAt = Math.min(dueAt, first?.dueAt ?? Infinity);
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
    for (; turns < kept && entries.size < size; turns += 1) entries.add(this.#turn());
    this.#isUnasked = !this.#isNotified && this.#roundLeft === 0;
    if (this.#isUnasked) this.#vainLooks += 1;
    this.#isNotified = false;
    this.#roundLeft = room >= kept ? 0 : Math.max(0, this.#roundLeft - turns);
    this.#keptDueAt = now + (this.#roundLeft > 0 ? ROUND_PAUSE_MS : pollDelayMs(this.#vainLooks));
  }

  /** The next one of the round. */
  #turn(): Entry {
    const next = this.#round.next();
    if (next.done !== true) return next.value;
    this.#round = this.#kept.values();
    return this.#turn();
  }

  #lookLater(entry: Entry, now: number): void {
    this.delete(entry);
    entry.looks = Math.min(entry.looks + 1, LAST_POLL);
    entry.dueAt = now + pollDelayMs(entry.looks);
    if (entry.isKept) this.#kept.add(entry);
    else this.#polled[entry.looks]?.add(entry);
  }

  /** The polls without notification begin again, with the short delays. */
  #listenAnew(now: number): void {
    this.#vainLooks = 1;
    this.#keptDueAt = now + pollDelayMs(1);
  }
}
