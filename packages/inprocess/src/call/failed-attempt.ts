/** One failed attempt, as history tells it. */
export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  /** What it threw; `undefined` when its result was refused. */
  readonly error: unknown;
  /** Epoch milliseconds of the call's clock. */
  readonly failedAt: number;
  /** The wait that followed; `undefined` when none did. */
  readonly delayMs: number | undefined;
}

/** A failed attempt and those before it: a list that costs nothing while there is one. */
export interface Failed extends FailedAttempt {
  previous: Failed | undefined;
}

/** How many failed attempts a history keeps: the first, and the latest of the rest. */
const KEPT = 10;

/** Adds one; the second oldest is forgotten where there are too many, so that a long loop stays small. */
export function remember(failed: Failed): Failed {
  if (failed.attempt <= KEPT) return failed;
  let entry: Failed | undefined = failed;
  for (let kept = 2; kept < KEPT; kept += 1) entry = entry?.previous;
  if (entry !== undefined) entry.previous = entry.previous?.previous;
  return failed;
}

/** The attempts that are remembered, oldest first. */
export function historyOf(latest: Failed | undefined): readonly FailedAttempt[] {
  const history: FailedAttempt[] = [];
  for (let entry = latest; entry !== undefined; entry = entry.previous) {
    const { attempt, error, failedAt, delayMs } = entry;
    history.unshift({ attempt, error, failedAt, delayMs });
  }
  return history;
}
