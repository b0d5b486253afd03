/** Runs are claimed in advance only as far as they are likely to start within this time, in ms. */
const HORIZON_MS = 100;

/** The weight of the latest run in the mean duration. */
const WEIGHT = 0.2;

interface PrefetchOptions {
  readonly concurrency: number;
  /** The most runs to claim in advance. */
  readonly prefetch: number;
}

/**
 * Estimates from the mean duration of handlers how many runs to claim in advance. With `concurrency: 10` and handlers of 5 ms,
 * 10 × 100 / 5 = 200 runs start within 100 ms; with handlers of 2 s, none does.
 */
export class PrefetchEstimate {
  readonly #options: PrefetchOptions;
  #meanMs: number | undefined;

  constructor(options: PrefetchOptions) {
    this.#options = options;
  }

  /** Adds the duration of a run. */
  note(durationMs: number): void {
    const before = this.#meanMs ?? durationMs;
    this.#meanMs = before + (durationMs - before) * WEIGHT;
  }

  /** Returns how many runs to claim in advance now; 0 until the first run has ended. */
  count(): number {
    const { concurrency, prefetch } = this.#options;
    if (this.#meanMs === undefined || prefetch === 0) return 0;
    const soon = Math.floor((concurrency * HORIZON_MS) / Math.max(this.#meanMs, 1));
    return Math.min(prefetch, soon);
  }
}
