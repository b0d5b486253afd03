import type { ClaimedRun } from '@retry/core/broker';

/** The most runs that `prefetch: 'auto'` claims in advance. */
const MAX_AUTO = 1_000;

/** How far ahead a worker claims, in ms of its own work: with `'auto'` on a short line, on a long one at most, and with a number. */
const AUTO_HORIZON_MS = 10;
const LONG_LINE_HORIZON_MS = 25;
const NUMBER_HORIZON_MS = 50;

/** Handlers that take less count as taking this long, in ms. */
const MIN_MEAN_MS = 0.02;

/** The weight of the latest run in the mean duration, and of the latest exchange in the mean round trip. */
const WEIGHT = 0.2;

/** The rate is counted over one to two windows of this length, in ms. */
const WINDOW_MS = 10;

/** About how many bytes of payloads are claimed in advance, at most. */
const MAX_BYTES = 8_388_608;

/** A claim that returned this many bytes of payloads was cut short by the broker, rather than by an empty lane. */
const CUT_BYTES = 1_048_576;

/** How many runs to claim in advance, at most; `'auto'` leaves that to the estimate. */
export type Prefetch = number | 'auto';

/** Returns how many runs are ever claimed in advance, at most. */
function mostPrefetched(prefetch: Prefetch): number {
  return prefetch === 'auto' ? MAX_AUTO : prefetch;
}

/** What a claim shows about its lanes. */
interface ClaimReading {
  /** Whether it asked all lanes and returned fewer runs than it asked for: they are empty, and other workers may be idle. */
  readonly isShort: boolean;
  /** Whether the broker ended it early, because its runs are large. */
  readonly isCut: boolean;
  /** Bytes of payload per run, on average. */
  readonly meanBytes: number;
}

/** What a claim asked for and returned. */
interface SizedClaim {
  readonly limit: number;
  /** Whether it asked all lanes with room. */
  readonly isOfAll: boolean;
  readonly claimed: readonly ClaimedRun[];
}

/** Reads what a claim of at most `limit` runs returned. Counts characters, because most text is ASCII. */
export function readClaim({ limit, claimed, isOfAll }: SizedClaim): ClaimReading {
  let bytes = 0;
  for (const { run } of claimed) bytes += run.payload.length;
  const isFilled = claimed.length >= limit;
  const isCut = !isFilled && bytes >= CUT_BYTES;
  return { isShort: isOfAll && !isFilled && !isCut, isCut, meanBytes: bytes / Math.max(claimed.length, 1) };
}

interface EstimateSettings {
  readonly concurrency: number;
  readonly prefetch: Prefetch;
  /** How long settlements wait for others, and the claims that leave with them. */
  readonly settleMs: number;
}

/**
 * Estimates how many runs to claim in advance: as many as will start within 10 ms; where a round trip takes longer than 3 ms, handlers of
 * at most 10 ms get what starts within three of them, at most 25 ms. None while no run has ended, the latest claim was short, or runs that
 * were claimed in advance had to be given back. Examples with `concurrency: 10`: handlers of 5 ms, 10 × 10 / 5 = 20 runs; of 0.1 ms,
 * 1 000, the most; of 200 ms, none.
 *
 * Timers fire early and many handlers share one thread, so a mean may be too small. Therefore the runs that really ended
 * count as well: at most twice as many as end within the horizon are claimed in advance.
 */
export class PrefetchEstimate {
  /** The mean duration of handlers, in ms; 0 until the first one has ended. */
  meanMs = 0;
  readonly #concurrency: number;
  readonly #most: number;
  readonly #isAuto: boolean;
  readonly #settleMs: number;
  #tripMs = 0;
  #isShort = false;
  #byBytes = Infinity;
  /** Runs that have ended in the present window and in the one before. */
  #ended = 0;
  #endedBefore = 0;
  #windowAt: number | undefined;
  #windowBeforeAt = 0;

  constructor({ concurrency, prefetch, settleMs }: EstimateSettings) {
    this.#concurrency = concurrency;
    this.#most = mostPrefetched(prefetch);
    this.#isAuto = prefetch === 'auto';
    this.#settleMs = settleMs;
  }

  /** Adds the duration of a run that has ended. */
  noteEnd(durationMs: number): void {
    if (this.meanMs === 0) this.meanMs = durationMs;
    this.meanMs = Math.max(this.meanMs + (durationMs - this.meanMs) * WEIGHT, MIN_MEAN_MS);
    this.#ended += 1;
  }

  /** Adds how long an exchange took, in ms. */
  noteTrip(tripMs: number): void {
    this.#tripMs += (tripMs - this.#tripMs) * WEIGHT;
  }

  /** Notes that runs were given back which had waited for this long: handlers take longer than estimated. */
  noteGivenBack(ageMs: number): void {
    this.meanMs = Math.max(this.meanMs, ageMs);
    this.#forgetRate();
  }

  /** Notes what the latest claim returned. */
  noteClaim({ isShort, meanBytes }: Omit<ClaimReading, 'isCut'>): void {
    this.#isShort = isShort;
    this.#byBytes = meanBytes > 0 ? Math.floor(MAX_BYTES / meanBytes) : Infinity;
    if (isShort) this.#forgetRate();
  }

  /** Returns how many runs to claim in advance now, by the worker's clock. */
  count(now: number): number {
    if (this.#most === 0 || this.#isShort || this.#ended + this.#endedBefore === 0) return 0;
    const horizonMs = this.#horizonMs;
    const byMean = (this.#concurrency * horizonMs) / this.meanMs;
    const byRate = 2 * horizonMs * this.#endsPerMs(now);
    return Math.floor(Math.min(this.#most, byMean, byRate, this.#byBytes));
  }

  get #horizonMs(): number {
    if (!this.#isAuto) return NUMBER_HORIZON_MS;
    // Of long handlers a round trip is a small part, and other workers may be idle.
    if (this.meanMs > AUTO_HORIZON_MS) return AUTO_HORIZON_MS;
    // What is claimed now has to last until the answer of the claim after the next one.
    const untilNextMs = this.#settleMs + 3 * this.#tripMs;
    return Math.min(Math.max(AUTO_HORIZON_MS, untilNextMs), LONG_LINE_HORIZON_MS);
  }

  /** `Infinity` when the first window has just begun. */
  #endsPerMs(now: number): number {
    if (this.#windowAt === undefined) this.#beginWindow(now, now);
    else if (now - this.#windowAt >= WINDOW_MS) this.#beginWindow(now, this.#windowAt);
    return (this.#ended + this.#endedBefore) / (now - this.#windowBeforeAt);
  }

  #beginWindow(now: number, before: number): void {
    this.#windowBeforeAt = before;
    this.#windowAt = now;
    this.#endedBefore = this.#ended;
    this.#ended = 0;
  }

  /** What ended so far says nothing about what follows. */
  #forgetRate(): void {
    this.#windowAt = undefined;
    this.#ended = 0;
    this.#endedBefore = 0;
  }
}
