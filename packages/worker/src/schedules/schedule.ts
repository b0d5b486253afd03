import type { Submission } from '@retry/core/broker';
import type { Timetable } from './timetable.ts';
import { instantAfter, latestInstants } from './timetable.ts';

/** What to do about fires that no worker made in time: nothing, make up for the latest one, or for so many of the latest ones. */
export type MissedFires = 'skip' | 'latest' | { readonly all: number };

/** What a schedule submits, and when. */
export interface Definition {
  /** What it submits, but for its id; `payload` is JSON text. */
  readonly work: Omit<Submission, 'id' | 'keyed'>;
  readonly timetable: Timetable;
  readonly missed: MissedFires;
}

/**
 * A schedule as it is kept. Every instant of its timetable up to `decidedAt` is decided: it was submitted, is owed, or was missed.
 * `decidedAt` never goes back, so that none is decided twice.
 */
export interface Schedule extends Definition {
  readonly id: string;
  /** When it was first made, in epoch milliseconds. */
  readonly createdAt: number;
  readonly decidedAt: number;
  /** The first instant after `decidedAt`; absent when there is none. */
  readonly nextAt?: number;
  /** The latest instant that was submitted, or is owed. */
  readonly lastAt?: number;
  /** Instants that are decided to be submitted, and may not have been yet; ascending. */
  readonly owed: readonly number[];
  /** When a worker took on what is owed. */
  readonly claimedAt?: number;
}

/** A fire that is later than this is missed, in ms: an idle worker looks once a minute, and a claim is taken over after 30 s. */
export const LATE_MS = 120_000;

/** How long what is owed is left to the worker that took it on, in ms. */
export const TAKE_OVER_MS = 30_000;

/** Returns a new schedule. @param now - by the broker's clock, as everywhere here */
export function openSchedule(id: string, definition: Definition, now: number): Schedule {
  return planned({ ...definition, id, createdAt: now, decidedAt: now, owed: [] });
}

/**
 * Returns a schedule with another definition. What its old timetable has had due until now is decided by it, and submitted as the new
 * definition says.
 */
export function changeSchedule(schedule: Schedule, definition: Definition, now: number): Schedule {
  const { claimedAt: _, ...decided } = claimFires(schedule, now);
  return planned({ ...decided, ...definition });
}

/**
 * Decides everything that is due, and takes on what is owed. Of fires that are due at the same time the latest is made, or the latest
 * `all`; with `skip` only one that is not late. What another worker has taken on stays owed unless it is late, too.
 */
export function claimFires(schedule: Schedule, now: number): Schedule {
  const { missed, decidedAt } = schedule;
  const most = typeof missed === 'string' ? 1 : missed.all;
  const isLate = (at: number): boolean => now - at > LATE_MS;
  const { due, nextAt } = dueInstants(schedule, { now, most });
  const chosen = [...schedule.owed.filter(isLate), ...due]
    .filter((at) => missed !== 'skip' || !isLate(at))
    .slice(-most);
  const owed = [...schedule.owed.filter((at) => !isLate(at)), ...chosen].sort((one, other) => one - other);
  const { nextAt: _, lastAt = owed.at(-1), ...rest } = schedule;
  return {
    ...rest,
    ...{ owed, decidedAt: Math.max(decidedAt, now), claimedAt: now },
    ...(nextAt !== undefined && { nextAt }),
    ...(lastAt !== undefined && { lastAt: Math.max(lastAt, owed.at(-1) ?? lastAt) }),
  };
}

/** Returns the latest instants that are due, and the first one that is not. */
function dueInstants(
  { timetable, nextAt = Infinity }: Schedule,
  { now, most }: { readonly now: number; readonly most: number },
): { readonly due: readonly number[]; readonly nextAt?: number | undefined } {
  if (nextAt > now) return { due: [], nextAt: nextAt < Infinity ? nextAt : undefined };
  const following = instantAfter(timetable, nextAt);
  if (following === undefined || following > now) return { due: [nextAt], nextAt: following };
  const due = latestInstants(timetable, { after: nextAt - 1, upTo: now, most });
  return { due, nextAt: instantAfter(timetable, now) };
}

/** Returns the schedule once all that it owed is submitted. */
export function settleFires({ claimedAt: _, ...schedule }: Schedule): Schedule {
  return { ...schedule, owed: [] };
}

/** Returns when a worker has to look at a schedule again; `Infinity`: never. */
export function dueAt({ nextAt = Infinity, owed, claimedAt }: Schedule): number {
  if (owed.length === 0) return nextAt;
  return claimedAt === undefined ? (owed[0] ?? nextAt) : Math.min(nextAt, claimedAt + TAKE_OVER_MS);
}

/** Returns the id of the run of one fire: the same for every worker, whatever the schedule says meanwhile. */
export function runIdOf(id: string, at: number): string {
  return `@schedule/${id}@${new Date(at).toISOString()}`;
}

/** Returns what to submit of a schedule. */
export function submissionsOf({ id, owed, work }: Schedule): readonly Submission[] {
  return owed.map((at) => ({ ...work, id: runIdOf(id, at), keyed: true }));
}

function planned({ nextAt: _, ...schedule }: Schedule): Schedule {
  const nextAt = instantAfter(schedule.timetable, schedule.decidedAt);
  return nextAt === undefined ? schedule : { ...schedule, nextAt };
}
