/** How many dead letters there were at an earlier call. */
interface Seen {
  readonly at: number;
  readonly deadLetters: number;
}

/** Two calls that are nearer to each other than this say nothing about a growth, in ms. */
const MIN_WINDOW_MS = 1_000;

/** The growth is that of this time, or of a longer one where calls are rarer, in ms: a shorter one is not taken for the rest of it. */
const WINDOW_MS = 60_000;

/** A call that is longer ago is forgotten, in ms. */
const MAX_WINDOW_MS = 600_000;

/** Measures how fast the number of dead letters grows, between the calls of one queue. */
export class DeadLetterGrowth {
  /** The oldest first; at most one for each second of the window, and one before it. */
  #seen: readonly Seen[] = [];

  /** @returns by how many a minute; negative when they become fewer, `undefined` when there is no earlier call to compare with */
  perMinute(now: Seen): number | undefined {
    const kept = this.#seen.filter(({ at }) => at <= now.at && now.at - at <= MAX_WINDOW_MS);
    const older = kept.filter(({ at }) => now.at - at >= WINDOW_MS).length;
    const recent = kept.slice(Math.max(0, older - 1));
    const latest = recent.at(-1);
    this.#seen = latest === undefined || now.at - latest.at >= MIN_WINDOW_MS ? [...recent, now] : recent;
    const [first] = recent;
    if (first === undefined || now.at - first.at < MIN_WINDOW_MS) return undefined;
    return ((now.deadLetters - first.deadLetters) * 60_000) / Math.max(now.at - first.at, WINDOW_MS);
  }
}
