import type { FailReason } from '../decision/decision.ts';
import { InvalidOptionsError } from '../errors.ts';
import { read } from '../read.ts';
import type { MissingFact } from './missing-facts.ts';
import type { Replay } from './replay.ts';

/** What a policy would have decided about many runs. */
export interface ReplaySummary {
  /** `runs = retried + endedEarlier + unchanged`. */
  readonly runs: number;
  /** They would have had another attempt after the last recorded one. */
  readonly retried: number;
  /** They would have ended at an earlier attempt. */
  readonly endedEarlier: number;
  /** They would have ended at the same attempt. */
  readonly unchanged: number;
  /** Recorded attempts that would not have been made. */
  readonly sparedAttempts: number;
  /** How many would have ended for each reason. */
  readonly reasons: Readonly<Partial<Record<FailReason | 'ended', number>>>;
  /** How many milliseconds later those end that would have ended, and whose times are known; negative: sooner. */
  readonly laterBy?: { readonly minMs: number; readonly meanMs: number; readonly maxMs: number };
  /** How many runs lack each fact. */
  readonly missing: Readonly<Partial<Record<MissingFact, number>>>;
  /** Runs that lack none. */
  readonly complete: number;
}

/**
 * Adds up replays; an iterable, so that they need not be kept.
 *
 * @throws {InvalidOptionsError} when `replays` is no list of what `replay` returns
 */
export function summarizeReplays(replays: Iterable<Replay>): ReplaySummary {
  const counts = { runs: 0, retried: 0, endedEarlier: 0, unchanged: 0, sparedAttempts: 0, complete: 0 };
  const reasons: Partial<Record<FailReason | 'ended', number>> = {};
  const missing: Partial<Record<MissingFact, number>> = {};
  const later = { count: 0, sumMs: 0, minMs: Infinity, maxMs: -Infinity };
  if (typeof read(replays, Symbol.iterator) !== 'function') refuse('replays', replays);
  for (const replay of replays) {
    if (!isReplay(replay)) refuse(`replays[${counts.runs}]`, replay);
    counts.runs += 1;
    counts[destinyOf(replay)] += 1;
    counts.sparedAttempts += replay.recordedAttempt - replay.attempt;
    if (replay.missing.length === 0) counts.complete += 1;
    for (const fact of replay.missing) missing[fact] = (missing[fact] ?? 0) + 1;
    if (replay.reason !== undefined) reasons[replay.reason] = (reasons[replay.reason] ?? 0) + 1;
    if (replay.isRetried || replay.laterByMs === undefined) continue;
    later.count += 1;
    later.sumMs += replay.laterByMs;
    later.minMs = Math.min(later.minMs, replay.laterByMs);
    later.maxMs = Math.max(later.maxMs, replay.laterByMs);
  }
  const { count, sumMs, minMs, maxMs } = later;
  return {
    ...counts,
    reasons,
    missing,
    ...(count > 0 && { laterBy: { minMs, meanMs: sumMs / count, maxMs } }),
  };
}

function isReplay(value: unknown): boolean {
  return Array.isArray(read(value, 'missing'));
}

function refuse(path: string, value: unknown): never {
  const problem = { path, value, message: 'is not what replay returns', cure: 'Use [replay(policy, run)].' };
  throw new InvalidOptionsError([problem], 'summarizeReplays');
}

function destinyOf({
  isRetried,
  attempt,
  recordedAttempt,
}: Replay): 'retried' | 'endedEarlier' | 'unchanged' {
  if (isRetried) return 'retried';
  return attempt < recordedAttempt ? 'endedEarlier' : 'unchanged';
}
