import type { SqlValue } from '../driver/database.ts';
import type { PostgresBrokerSettings } from '../options.ts';
import { toCount, upToWhole } from '../record/numbers.ts';

/** So often, in ms, it begins at the very first run again, for what was committed late. */
const FROM_START_MS = 10_000;

/** So often, in ms, it tidies up. */
const TIDY_MS = 1_000;

/** What an exchange says of that. */
interface Tidied {
  /** How far the trimming came. */
  readonly trimmed: number | null;
  /** How many awaited results were not collected in time: from now on they are kept like any other. */
  readonly released?: number;
  /** Whether nothing is left that is over. */
  readonly isTidy?: boolean;
}

/** When finished runs beyond those that are kept are forgotten: now and then, a batch at a time. */
export class Retention {
  readonly #keep: number;
  readonly #every: number;
  #finished = 0;
  #trimmed = 0;
  #nextFromStartAt = 0;
  #nextTidyAt = 0;
  readonly #keepKeysMs: number;

  /** @param settings - how many finished runs are kept, ≥ 0; `Infinity` keeps all */
  constructor({
    keepCompleted: keep,
    keepKeysMs,
  }: Pick<PostgresBrokerSettings, 'keepCompleted' | 'keepKeysMs'>) {
    this.#keep = keep === Infinity ? keep : toCount(keep);
    this.#keepKeysMs = upToWhole(keepKeysMs);
    this.#every = Math.max(1, Math.floor(keep / 2));
  }

  /** What an exchange that ends this number of runs is to pass on: how many to keep, where to begin (0 tidies up), or nothing. */
  next(ended: number, now: number): readonly SqlValue[] {
    this.#finished += ended;
    const isTrimmed = this.#keep !== Infinity && this.#finished >= this.#every;
    const isFromStart = isTrimmed && now >= this.#nextFromStartAt;
    const isTidied = isFromStart || now >= this.#nextTidyAt;
    if (isTrimmed) this.#finished = 0;
    if (isFromStart) this.#nextFromStartAt = now + FROM_START_MS;
    if (isTidied) this.#nextTidyAt = now + TIDY_MS;
    const from = isTrimmed ? this.#trimmed : null;
    return [isTrimmed ? this.#keep : null, isTidied ? 0 : from, this.#keepKeysMs];
  }

  /** What that has come to: as long as more is left, the next exchange goes on. */
  tidied({ trimmed, released = 0, isTidy = true }: Tidied): void {
    if (trimmed !== null) this.#trimmed = Math.max(this.#trimmed, trimmed);
    if (!isTidy) this.#nextTidyAt = 0;
    this.#finished += released;
  }
}
