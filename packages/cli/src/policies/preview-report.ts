import type { DurationRange, Policy, Preview } from '@retry/core';

/** The options of `retry preview`. */
export interface PreviewCommandOptions {
  /** The system whose options the argument holds. */
  readonly from?: string;
  readonly seed?: number;
  /** Milliseconds that each attempt takes. */
  readonly attempt?: number;
  readonly limit: number;
  /** When the first attempt is due to begin, in epoch milliseconds. */
  readonly at?: number;
}

/** One attempt of a preview. */
export interface PreviewedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  /** The delay before it. */
  readonly delay: DurationRange;
  /** How long after the beginning, `initialDelay` included, it starts. */
  readonly startsAfter: DurationRange;
  /** When it starts on average, in epoch milliseconds; `null` beyond the last date there is. */
  readonly startsAt: number | null;
  /** The delay that was drawn with `--seed`. */
  readonly drawnMs?: number;
}

/** What `retry preview` prints. */
export interface PreviewReport {
  readonly policy: Policy;
  readonly attempts: readonly PreviewedAttempt[];
  readonly maxAttempts: number;
  readonly preview: Preview;
  readonly options: PreviewCommandOptions;
}
