import type { Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';

/** When to ask a broker again that has failed: before the leases of what was sent run out. */
export const BROKER_RETRY: Policy = definePolicy({
  backoff: { type: 'exponential', base: '50ms' },
  minDelay: '5ms', // no busy loop, whatever the jitter draws
  maxDelay: '5s',
});

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
