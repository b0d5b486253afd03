import type { LaneFlow, Run, WorkerFlow } from '@retry/core/broker';
import { chargedAttempts } from '@retry/core/broker/kit';

/** What was done in one lane. */
type Counts = { -readonly [Key in Exclude<keyof LaneFlow, 'lane'>]: LaneFlow[Key] };

/** What was done since it was last taken, and a way to count it again. */
export interface TakenFlow {
  readonly flow: WorkerFlow;
  /** Counts it again: the broker did not learn of it. */
  readonly restore: () => void;
}

/** Counts what a worker does in each of its lanes. Every run comes by twice: a look-up and a few additions each. */
export class FlowCounts {
  #lanes = new Map<string, Counts>();
  #since: number;

  /** @param now - by the worker's clock, in epoch ms */
  constructor(now: number) {
    this.#since = now;
  }

  /** Counts an attempt that starts. */
  noteStart(run: Run, latenessMs: number): void {
    const counts = this.#of(run.lane);
    counts.starts += 1;
    if (chargedAttempts(run) > 0) counts.retries += 1;
    if (latenessMs > counts.maxLatenessMs) counts.maxLatenessMs = latenessMs;
  }

  /** Counts a run that has ended. */
  noteEnd(lane: string): void {
    this.#of(lane).ends += 1;
  }

  /** Returns what was counted, and begins anew. */
  take(now: number): TakenFlow {
    const [lanes, since] = [this.#lanes, this.#since];
    this.#lanes = new Map();
    this.#since = now;
    return {
      flow: {
        windowMs: Math.max(0, now - since),
        lanes: [...lanes].map(([lane, counts]) => ({ lane, ...counts })),
      },
      restore: () => this.#restore(lanes, since),
    };
  }

  #restore(lanes: ReadonlyMap<string, Counts>, since: number): void {
    this.#since = Math.min(this.#since, since);
    for (const [lane, { starts, retries, ends, maxLatenessMs }] of lanes) {
      const counts = this.#of(lane);
      counts.starts += starts;
      counts.retries += retries;
      counts.ends += ends;
      counts.maxLatenessMs = Math.max(counts.maxLatenessMs, maxLatenessMs);
    }
  }

  #of(lane: string): Counts {
    const known = this.#lanes.get(lane);
    if (known !== undefined) return known;
    const counts = { starts: 0, retries: 0, ends: 0, maxLatenessMs: 0 };
    this.#lanes.set(lane, counts);
    return counts;
  }
}
