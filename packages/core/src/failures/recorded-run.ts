import type { Counters } from '../decision/counters.ts';
import { InvalidOptionsError } from '../errors.ts';
import { isList } from '../read.ts';
import type { RecordedAttempt, RecordedRun } from './recorded-attempt.ts';

/** A recorded attempt, and what its run says about it. */
export interface KnownAttempt extends RecordedAttempt {
  /** How it ended; a shared stall is not charged. */
  readonly end: 'failure' | 'stall' | 'shared stall';
}

/** @throws {InvalidOptionsError} */
export function checkAttempts(errors: unknown, subject: string): void {
  if (isList(errors) && errors.every((error) => typeof error === 'object' && error !== null)) return;
  const cure = 'Use a stored run, or { errors: [{ name, message, at }] }.';
  const problem = { path: 'errors', value: errors, message: 'must be a list of recorded attempts', cure };
  throw new InvalidOptionsError([problem], subject);
}

/** What is known of a recorded run. */
export interface KnownRun {
  readonly attempts: readonly KnownAttempt[];
  /** The attempts that were made before the first of those. */
  readonly before: { readonly failures: number; readonly stalls: number };
  /** When the first of them started; when it failed, if that is not known. */
  readonly startAt: number;
  /** When the total time began: that of the second attempt and all later ones. */
  readonly totalStartAt: number;
}

/** Returns what is known of a recorded run: how each attempt ended and how long it took. */
export function knownRun(run: RecordedRun): KnownRun {
  const ended = run.errors.map((attempt, index) => ({
    ...attempt,
    durationMs: ownDuration(attempt),
    end: endOf(attempt, run.errors[index - 1]),
  }));
  const made = ended.reduce(countAttempt, { failures: 0, stalls: 0 });
  const before = attemptsBefore(run, made);
  const attempts = ended.map((attempt, index) =>
    index === 0 ? { ...attempt, durationMs: attempt.durationMs ?? firstDuration(run, before) } : attempt,
  );
  const [first] = attempts;
  const startAt = first === undefined ? 0 : first.at - (first.durationMs ?? 0);
  const { resetAt, firstStartedAt = resetAt ?? startAt } = run;
  return { attempts, before, startAt, totalStartAt: Math.max(firstStartedAt, resetAt ?? -Infinity) };
}

/** Which of the attempts that were made elsewhere failed, and which stalled, is not known: those without a record count as failures. */
function attemptsBefore(run: RecordedRun, made: KnownRun['before']): KnownRun['before'] {
  const { failures = made.failures, stalls = made.stalls, carried = 0 } = run;
  const stallsBefore = Math.max(stalls - made.stalls, 0);
  const charged = carried + failures + stalls - made.failures - made.stalls;
  return { failures: Math.max(charged - stallsBefore, 0), stalls: stallsBefore };
}

/**
 * Returns for each recorded attempt of a run, oldest first, whether it was charged: whether `maxAttempts` counts it.
 *
 * @throws {InvalidOptionsError} for anything but a list of recorded attempts
 */
export function areCharged(errors: readonly RecordedAttempt[]): readonly boolean[] {
  checkAttempts(errors, 'areCharged');
  return errors.map((attempt, index) => {
    const isNone = attempt.reason === 'ended' && attempt.startedAt === undefined;
    return !isNone && endOf(attempt, errors[index - 1]) !== 'shared stall';
  });
}

/** Returns the counters after an attempt. */
export function countAttempt<Counts extends Counters & KnownRun['before']>(
  counters: Counts,
  { end }: KnownAttempt,
): Counts {
  switch (end) {
    case 'failure':
      return { ...counters, failures: counters.failures + 1 };
    case 'stall':
      return { ...counters, stalls: counters.stalls + 1 };
    case 'shared stall':
      return counters;
  }
}

/**
 * Records without a reason show a stall by the name of its error. Of stalls alone, the one after a group of at most three is
 * charged: only that one was made by its run alone.
 */
function endOf(attempt: RecordedAttempt, previous: RecordedAttempt | undefined): KnownAttempt['end'] {
  const { reason, name, stalledWith } = attempt;
  if (reason === undefined ? name !== 'StalledError' : reason !== 'stalled') return 'failure';
  if (stalledWith === undefined) return 'stall';
  return stalledWith > 0 || (previous?.stalledWith ?? 0) > 2 ? 'shared stall' : 'stall';
}

function ownDuration({ at, startedAt, durationMs }: RecordedAttempt): number | undefined {
  return durationMs ?? (startedAt === undefined ? undefined : Math.max(at - startedAt, 0));
}

/** The start of a run is that of its first error, if no attempt came before that. */
function firstDuration(run: RecordedRun, before: KnownRun['before']): number | undefined {
  const { errors, firstStartedAt, resetAt } = run;
  const [first] = errors;
  if (first === undefined || firstStartedAt === undefined || resetAt !== undefined) return undefined;
  return before.failures + before.stalls > 0 ? undefined : Math.max(first.at - firstStartedAt, 0);
}
