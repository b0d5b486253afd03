import type { Reserved } from '@retry/core/broker';
import type { StartCounts } from '@retry/core/broker/kit';
import { correctStarts, MAX_STARTS, reserveStarts } from '@retry/core/broker/kit';
import type { AnyTask, StartLimit } from '../../task/task.ts';

/** After a refusal, claims ask for this part more of what was granted, each time that all is granted. */
const GROWTH = 1 / 4;

/** How much of the mean cost of a start is that of the latest one. */
const LATEST_SHARE = 1 / 8;

/** How often in a window a full limit is asked again where starts cost less than was reserved: others may have freed something. */
const ASKS_IN_WINDOW = 8;

/** A limit that opens is asked this many ms after the refusal at the soonest: the broker's clock is estimated. */
const MIN_WAIT_MS = 2;

/**
 * What a worker knows about a limit of starts that all workers share, so that it claims about as many runs as may start. The
 * broker alone decides.
 *
 * 1. It knows its own starts: as the only worker, it never claims too many.
 * 2. When the broker refuses, it claims none until the broker says that one more may start.
 * 3. From then on it claims as many as were granted last, and a quarter more each time that all were granted.
 *
 * Where starts have costs, so many units are meant, and runs are claimed by what they have cost on average.
 */
export class SharedLimit {
  readonly settings: Omit<StartLimit, 'cost'>;
  /** The lanes of this worker's tasks that share it. */
  readonly lanes: string[] = [];
  readonly #now: () => number;
  /** Starts of this worker, by the broker's clock. */
  #own: StartCounts | undefined;
  #probable = Infinity;
  /** What is being reserved. */
  #asked = 0;
  #meanCost: number | undefined;
  /** Whether any start has cost less than was reserved. */
  #isFreed = false;
  #fullUntil = -Infinity;
  /** When a reservation failed, and for how long nothing is claimed after it. */
  #failure: { readonly at: number; readonly delayMs: number } | undefined;

  /** @param now - the broker's clock */
  constructor(settings: Omit<StartLimit, 'cost'>, now: () => number) {
    this.settings = settings;
    this.#now = now;
  }

  /** Whether no start is within the limit now, as far as this worker knows. */
  get isFull(): boolean {
    const now = this.#readNow();
    return this.#fullFor(now) > 0 || this.#left(now).granted === 0;
  }

  /** How many runs of one of its lanes may be claimed now. */
  room({ whenFull }: Pick<AnyTask, 'whenFull'>): number {
    const now = this.#readNow();
    if (this.#failedFor(now) > 0) return 0;
    if (whenFull !== 'wait') return MAX_STARTS; // runs over the limit are claimed, too, and end
    if (this.#fullFor(now) > 0) return 0;
    const probable = Math.min(this.#left(now).granted, this.#probable) - this.#asked;
    return Math.ceil(probable / (this.#meanCost ?? 1) / this.lanes.length);
  }

  /** Milliseconds until runs may be claimed that may not be now; `Infinity` when there are none. */
  opensIn(): number {
    const now = this.#readNow();
    const { granted, availableAt = now } = this.#left(now);
    const opensInMs = Math.max(this.#failedFor(now), this.#fullFor(now), granted > 0 ? 0 : availableAt - now);
    return opensInMs > 0 ? opensInMs : Infinity;
  }

  /** Notes that the reservation of a run begins, which costs so much, or has ended: then less than 0. */
  noteAsked(cost: number): void {
    this.#asked += cost;
    if (cost <= 0) return;
    const mean = this.#meanCost ?? cost;
    this.#meanCost = mean + (cost - mean) * LATEST_SHARE;
  }

  /** Notes the answer to a reservation of `count` starts. @returns when they were counted, by the estimate of the broker's clock */
  noteAnswer(count: number, { granted, availableAt }: Reserved): number {
    const now = this.#readNow();
    this.#failure = undefined;
    const countedAt = granted > 0 ? this.#noteStarts(granted, now) : now;
    if (granted === count) {
      const probable = Math.max(this.#probable, count);
      this.#probable = probable + Math.ceil(probable * GROWTH);
      return countedAt;
    }
    const asksAt = this.#isFreed ? now + this.settings.windowMs / ASKS_IN_WINDOW : Infinity;
    this.#fullUntil = Math.max(Math.min(availableAt ?? now, asksAt), now + MIN_WAIT_MS);
    this.#probable = granted > 0 ? granted : Math.ceil(Math.min(this.#probable, count) / 2);
    return countedAt;
  }

  /** Notes that starts that were counted then have turned out to be more, or fewer. */
  noteCorrection(countedAt: number, count: number): void {
    this.#own = correctStarts(this.#own, { grantedAt: countedAt, count });
  }

  /** Notes that a start has cost less than was reserved: the broker may grant more before it said. */
  noteFreed(): void {
    this.#fullUntil = -Infinity;
    this.#isFreed = true;
  }

  /** Notes that the broker could not be asked: nothing is claimed for `delayMs`. */
  noteFailure(delayMs: number): void {
    this.#failure = { at: this.#readNow(), delayMs };
  }

  /** Returns now by the broker's clock, in whole milliseconds, as the broker reads it. */
  #readNow(): number {
    return Math.floor(this.#now());
  }

  #noteStarts(count: number, now: number): number {
    const { windowMs } = this.settings;
    const { latestAt = now } = this.#own ?? {};
    // The estimate of the broker's clock may move back a little; by more than a window, the broker begins anew.
    const at = now < latestAt - windowMs ? now : Math.max(now, latestAt);
    this.#own = reserveStarts(this.#own, { limit: MAX_STARTS, windowMs, count }, at).counts;
    return at;
  }

  /** How many starts of this worker alone are within the limit. */
  #left(now: number): Reserved {
    const { limit, windowMs } = this.settings;
    return reserveStarts(this.#own, { limit, windowMs, count: limit }, now).reserved;
  }

  /** Milliseconds until the broker may grant more; 0 when it may now. After a clock went back far, it is not waited for. */
  #fullFor(now: number): number {
    const leftMs = this.#fullUntil - now;
    return leftMs > 3 * this.settings.windowMs + MIN_WAIT_MS ? 0 : Math.max(leftMs, 0);
  }

  #failedFor(now: number): number {
    const { at, delayMs } = this.#failure ?? { at: now, delayMs: 0 };
    return now < at ? 0 : Math.max(at + delayMs - now, 0);
  }
}

/** Returns the limits that all workers share, by lane. Tasks with the same key and numbers have one in common. */
export function createSharedLimits(
  tasks: Iterable<AnyTask>,
  now: () => number,
): ReadonlyMap<string, SharedLimit> {
  const byNumbers = new Map<string, SharedLimit>();
  const byLane = new Map<string, SharedLimit>();
  for (const { lane, globalRateLimit } of tasks) {
    if (globalRateLimit === undefined) continue;
    const { key, limit, windowMs } = globalRateLimit;
    const numbers = JSON.stringify([key, limit, windowMs]);
    const shared = byNumbers.get(numbers) ?? new SharedLimit({ key, limit, windowMs }, now);
    shared.lanes.push(lane);
    byNumbers.set(numbers, shared);
    byLane.set(lane, shared);
  }
  return byLane;
}
