import type { Claim } from '@retry/core/broker';
import type { Room } from './slots.ts';

/** A claim asks at least this many lanes, where there are as many. */
const FEW_LANES = 16;
/** Every eighth claim asks the lanes that were empty, so that a run in one of them waits for seven claims at most. */
const LOOK_EVERY = 8;

/** A claim and the runs that it returned. */
interface Answered {
  readonly claim: Pick<Claim, 'lanes' | 'limit'>;
  readonly claimed: readonly { readonly run: { readonly lane: string } }[];
}

/**
 * Chooses the lanes of a claim and their order. A broker serves earlier lanes first.
 *
 * 1. The lanes take turns: one that was served goes to the end, so that a lane that is always full delays no other.
 * 2. A claim asks about as many lanes as it needs, so that a thousand tasks cost little more than one. Lanes that were empty
 *    when they were last asked are left out, up to the next look at all of them, where they come first.
 * 3. A claim that was not filled is followed by one of all lanes.
 */
export class LaneChoice {
  /** Lanes that probably have runs, the next one to serve first. */
  readonly #filled: Set<string>;
  /** Lanes that were empty when they were last asked. */
  readonly #empty = new Set<string>();
  #wasFilled = false;
  /** How many lanes the latest claim needed. */
  #needed = FEW_LANES;
  #claims = 0;

  constructor(lanes: Iterable<string>) {
    this.#filled = new Set(lanes);
  }

  /** Returns the lanes to claim from, with the most runs of each. */
  choose(lanes: Room['lanes'], limit: number): Map<string, number> {
    this.#claims += 1;
    const isAll = !this.#wasFilled || lanes.size <= FEW_LANES;
    const chosen = new Map<string, number>();
    const ask = (lane: string): void => {
      const room = lanes.get(lane);
      if (room !== undefined) chosen.set(lane, Math.min(room, limit));
    };
    if (isAll || this.#claims % LOOK_EVERY === 0) for (const lane of this.#empty) ask(lane);
    const most = isAll ? Infinity : chosen.size + Math.max(FEW_LANES, 2 * this.#needed);
    for (const lane of this.#filled) {
      if (chosen.size >= most) break;
      ask(lane);
    }
    if (chosen.size === 0) for (const lane of this.#empty) ask(lane);
    // The next claim may be sent before this one is answered.
    const [first] = chosen.keys();
    if (first !== undefined) moveToEnd(this.#empty.has(first) ? this.#empty : this.#filled, first);
    return chosen;
  }

  /** Notes which of the lanes that were asked are empty now, and which had their turn. */
  note({ claim: { lanes, limit }, claimed }: Answered): void {
    const counts = new Map<string, number>();
    for (const { run } of claimed) counts.set(run.lane, (counts.get(run.lane) ?? 0) + 1);
    this.#wasFilled = claimed.length >= limit;
    this.#needed = 0;
    let left = limit;
    for (const [lane, room] of lanes) {
      if (left <= 0) return;
      const count = counts.get(lane) ?? 0;
      if (count >= Math.min(room, left)) {
        this.#empty.delete(lane);
        moveToEnd(this.#filled, lane);
      } else if (this.#filled.delete(lane)) this.#empty.add(lane);
      if (count > 0) this.#needed += 1;
      left -= count;
    }
  }
}

function moveToEnd(lanes: Set<string>, lane: string): void {
  lanes.delete(lane);
  lanes.add(lane);
}
