/** Runs are held only as far ahead as they are likely to start within this time, in ms. */
const AHEAD_MS = 100;

/** How much of the mean the latest run is. */
const WEIGHT = 0.2;

interface PaceOptions {
  /** How many runs go on at a time. */
  readonly concurrency: number;
  /** The most runs to hold ahead. */
  readonly prefetch: number;
}

/** How long runs take, and from it how many of them to hold ready: a slow handler hoards none. */
export class Pace {
  readonly #options: PaceOptions;
  #meanMs: number | undefined;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** A run took so long. */
  note(durationMs: number): void {
    const before = this.#meanMs ?? durationMs;
    this.#meanMs = before + (durationMs - before) * WEIGHT;
  }

  /** How many runs to hold ahead now; none before the first run has ended. */
  ahead(): number {
    const { concurrency, prefetch } = this.#options;
    if (this.#meanMs === undefined || prefetch === 0) return 0;
    const soon = Math.floor((concurrency * AHEAD_MS) / Math.max(this.#meanMs, 1));
    return Math.min(prefetch, soon);
  }
}
