import type { Clock, Policy } from '@retry/core';
import { computeDelay } from '@retry/core';

interface Pause {
  readonly refusals: number;
  readonly until: number;
}

/** Lanes whose claims the broker refuses. Each is left out of claims for a growing delay and then tried again. */
export class LanePauses {
  readonly #clock: Clock;
  readonly #delayMs: (refusals: number) => number;
  readonly #pauses = new Map<string, Pause>();

  constructor(clock: Clock, backoff: { readonly policy: Policy; readonly random: () => number }) {
    this.#clock = clock;
    this.#delayMs = (refusals) => computeDelay(backoff.policy, refusals, backoff);
  }

  /** Notes that a claim from this lane alone was refused. */
  pause(lane: string): void {
    const refusals = (this.#pauses.get(lane)?.refusals ?? 0) + 1;
    this.#pauses.set(lane, { refusals, until: this.#clock.now() + this.#delayMs(refusals) });
  }

  /** Notes that a claim from these lanes was answered. */
  end(lanes: Iterable<string>): void {
    if (this.#pauses.size > 0) for (const lane of lanes) this.#pauses.delete(lane);
  }

  /** Returns the lanes that may be claimed from now; the same object when that is all of them. */
  open(lanes: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    if (this.#pauses.size === 0) return lanes;
    const now = this.#clock.now();
    return new Map([...lanes].filter(([lane]) => (this.#pauses.get(lane)?.until ?? now) <= now));
  }

  /** Milliseconds until the next paused lane is tried again; `Infinity` when none is paused. */
  opensIn(): number {
    if (this.#pauses.size === 0) return Infinity;
    const now = this.#clock.now();
    let least = Infinity;
    for (const { until } of this.#pauses.values()) if (until > now) least = Math.min(least, until - now);
    return least;
  }
}
