import { computeDelay } from '@retry/core';
import type { Claim } from '@retry/core/broker';
import { BROKER_RETRY } from '../../broker.ts';
import type { Room } from './slots.ts';

/** A claim asks at least this many lanes, where there are as many. */
const FEW_LANES = 16;
/** Every eighth claim asks the lanes that were empty, so that a run in one of them waits for seven claims at most. */
const EMPTY_EVERY_CLAIMS = 8;
/**
 * They are asked again after this many ms for each of them, at the soonest: asking a thousand takes 3 to 6 ms, about a
 * twentieth of the time. A worker that claims one run after another would spend two thirds of its time on it.
 */
const EMPTY_EVERY_MS = 0.1;

/** The lanes of one claim. */
interface ChosenLanes {
  /** The lanes, with the most runs of each; those that come first are served first. */
  readonly lanes: ReadonlyMap<string, number>;
  /** Whether the lanes that were empty are asked, too. */
  readonly asksEmpty: boolean;
}

/** A claim and the runs that it returned. */
interface Answered {
  readonly claim: Pick<Claim, 'lanes' | 'limit'>;
  readonly claimed: readonly { readonly run: { readonly lane: string } }[];
  /** The broker ended the claim early, because its runs are large: it says nothing about the lanes that follow. */
  readonly isCut?: boolean;
}

/**
 * Chooses the lanes of a claim and their order. A broker serves earlier lanes first.
 *
 * 1. The lanes take turns: one that was served goes to the end, so that a lane that is always full delays no other.
 * 2. A claim asks about twice as many lanes as it needs, so that a thousand tasks cost little more than one. How many that is,
 *    the latest claim shows: with 8 runs in each lane, 300 runs need 38 lanes. Lanes that were empty when they were last asked
 *    are left out, up to the next claim that asks all of them, where they come first.
 * 3. When no other lane is left to ask, a claim asks the empty ones.
 * 4. Two claims may be under way: the second one begins with the lanes that the first one probably does not reach.
 */
export class LaneChoice {
  /** Lanes that were asked, but not reached, as the claim was filled before: their turn is next. */
  readonly #skipped = new Set<string>();
  /** Other lanes that probably have runs, the next one to serve first. */
  readonly #filled: Set<string>;
  /** Lanes that were empty when they were last asked, the one that was asked longest ago first. */
  readonly #empty = new Set<string>();
  /** How many runs each lane gave to the latest claim, of those that had some or should have had. */
  #runsPerLane = 0;
  /** How many claims there were since all empty lanes were asked, and when that was. */
  #claims = 0;
  #emptyAskedAt = -Infinity;

  constructor(lanes: Iterable<string>) {
    this.#filled = new Set(lanes);
  }

  /** Returns the lanes to claim from at this instant, with the most runs of each. Changes nothing: see `noteSent`. */
  choose(lanes: Room['lanes'], limit: number, now: number): ChosenLanes {
    const areFew = lanes.size <= FEW_LANES;
    const chosen = new Map<string, number>();
    const ask = (lane: string): void => {
      const room = lanes.get(lane);
      if (room !== undefined) chosen.set(lane, Math.min(room, limit));
    };
    let asksEmpty = areFew || this.#isTimeForEmpty(now);
    if (asksEmpty) for (const lane of this.#empty) ask(lane);
    const most = areFew ? Infinity : chosen.size + this.#lanesFor(limit);
    for (const waiting of [this.#skipped, this.#filled]) {
      for (const lane of waiting) {
        if (chosen.size >= most) break;
        ask(lane);
      }
    }
    if (chosen.size === 0) {
      asksEmpty = true;
      for (const lane of this.#empty) ask(lane);
    }
    return { lanes: chosen, asksEmpty };
  }

  /** Notes that a claim of these lanes was sent at this instant. The next one may be sent before it is answered. */
  noteSent({ lanes, asksEmpty }: ChosenLanes, limit: number, now: number): void {
    this.#claims += 1;
    if (asksEmpty) {
      this.#claims = 0;
      this.#emptyAskedAt = now;
    }
    let left = Math.ceil(limit / this.#runsPerLane);
    for (const lane of lanes.keys()) {
      if (left <= 0) return;
      this.#moveToEnd(this.#empty.has(lane) ? this.#empty : this.#filled, lane);
      left -= 1;
    }
  }

  /** Notes which of the lanes that were asked are empty now, and which had their turn. */
  note({ claim: { lanes, limit }, claimed, isCut = false }: Answered): void {
    const counts = new Map<string, number>();
    for (const { run } of claimed) counts.set(run.lane, (counts.get(run.lane) ?? 0) + 1);
    let left = isCut ? claimed.length : limit;
    let asked = 0;
    for (const [lane, room] of lanes) {
      const wasEmpty = this.#empty.has(lane);
      if (left > 0) {
        const count = counts.get(lane) ?? 0;
        this.#moveToEnd(count < Math.min(room, left) ? this.#empty : this.#filled, lane);
        if (!wasEmpty || count > 0) asked += 1;
        left -= count;
      } else if (!wasEmpty) {
        this.#filled.delete(lane);
        this.#skipped.add(lane);
      }
    }
    if (asked === 0) return;
    // A claim that one lane has filled shows only the least that it had.
    const least = left <= 0 && asked === 1 ? this.#runsPerLane : 0;
    this.#runsPerLane = Math.max(claimed.length / asked, least);
  }

  #moveToEnd(lanes: Set<string>, lane: string): void {
    for (const others of [this.#skipped, this.#filled, this.#empty]) others.delete(lane);
    lanes.add(lane);
  }

  #isTimeForEmpty(now: number): boolean {
    const sinceMs = now - this.#emptyAskedAt;
    // A clock that was set back must not keep them waiting.
    const isSoon = sinceMs >= 0 && sinceMs < EMPTY_EVERY_MS * this.#empty.size;
    return this.#claims + 1 >= EMPTY_EVERY_CLAIMS && !isSoon;
  }

  /** About twice as many lanes as have `limit` runs together. */
  #lanesFor(limit: number): number {
    return Math.max(FEW_LANES, Math.ceil((2 * limit) / this.#runsPerLane));
  }
}

interface Pause {
  readonly refusals: number;
  readonly until: number;
}

/** Lanes whose claims the broker refuses. Each is left out of claims for a growing delay and then tried again. */
export class LanePauses {
  /** What is left out now, or is tried again. */
  readonly lanes: Map<string, Pause> = new Map();
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Notes that a claim from this lane alone was refused. */
  pause(lane: string, now: number): void {
    const refusals = (this.lanes.get(lane)?.refusals ?? 0) + 1;
    const delayMs = computeDelay(BROKER_RETRY, refusals, { random: this.#random });
    this.lanes.set(lane, { refusals, until: now + delayMs });
  }

  /** Notes that a claim from these lanes was answered. */
  end(lanes: Iterable<string>): void {
    if (this.lanes.size > 0) for (const lane of lanes) this.lanes.delete(lane);
  }

  /** Returns the lanes that may be claimed from now; the same object when that is all of them. */
  open(lanes: ReadonlyMap<string, number>, now: number): ReadonlyMap<string, number> {
    if (this.lanes.size === 0) return lanes;
    return new Map([...lanes].filter(([lane]) => (this.lanes.get(lane)?.until ?? now) <= now));
  }

  /** Milliseconds until the next paused lane is tried again; `Infinity` when none is paused. */
  opensIn(now: number): number {
    if (this.lanes.size === 0) return Infinity;
    let least = Infinity;
    for (const { until } of this.lanes.values()) if (until > now) least = Math.min(least, until - now);
    return least;
  }
}
