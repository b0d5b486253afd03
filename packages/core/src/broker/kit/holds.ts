import type { Hold, HoldRequest, HoldSource } from '../hold.ts';
import type { Note, NoteWrite } from '../notes.ts';
import { keepableMs } from './limits.ts';

/** What the keys of the notes of holds begin with: the source, `/`, and the lane follow, or no lane for all of them. */
export const HOLD_PREFIX = 'hold/';

/** Who puts lanes on hold. */
export const HOLD_SOURCES: readonly HoldSource[] = ['operator', 'handler', 'circuit-breaker'];

/** The key of the note of a hold. */
export function holdKey({ lane = '', source }: Pick<Hold, 'lane' | 'source'>): string {
  return `${HOLD_PREFIX}${source}/${lane}`;
}

/** Returns which lane a note holds, `''` for all lanes; `undefined` for a note of anything else. */
export function heldLane(key: string): string | undefined {
  const source = sourceOf(key);
  return source && key.slice(holdKey({ source }).length);
}

function sourceOf(key: string): HoldSource | undefined {
  if (!key.startsWith(HOLD_PREFIX)) return undefined;
  return HOLD_SOURCES.find((source) => key.startsWith(holdKey({ source })));
}

/** Returns the note that puts a lane on hold. */
export function writeHold({ lane, source, reason, by, until, forMs, probeMs }: HoldRequest): NoteWrite {
  const ends = until ?? (forMs === undefined ? undefined : 1);
  return {
    key: holdKey({ source, ...(lane !== undefined && { lane }) }),
    value: JSON.stringify({ reason, by }),
    ...(ends !== undefined && { expiresAt: Math.max(1, keepableMs(ends)) }),
    ...(forMs !== undefined && forMs > 0 && { ttlMs: keepableMs(forMs) }),
    ...(probeMs !== undefined && { probeMs }),
  };
}

/** Returns the hold of a note; `undefined` for one that another program wrote. */
export function readHold({ key, value, writtenAt, expiresAt, probeMs }: Note): Hold | undefined {
  const lane = heldLane(key);
  const source = sourceOf(key);
  if (lane === undefined || source === undefined) return undefined;
  return {
    ...(lane !== '' && { lane }),
    source,
    ...readReason(value),
    heldAt: writtenAt,
    ...(expiresAt !== undefined && { until: expiresAt }),
    ...(probeMs !== undefined && { probeMs }),
  };
}

function readReason(text: string): Pick<Hold, 'reason' | 'by'> {
  try {
    const { reason, by }: Readonly<Record<string, unknown>> = JSON.parse(text) ?? {};
    return { ...(typeof reason === 'string' && { reason }), ...(typeof by === 'string' && { by }) };
  } catch {
    return {}; // written by another program
  }
}

/** Returns whether a hold keeps the runs of its lane from being started. One that probes, and does not, lets a run through. */
export function isHoldActive({ expiresAt = Infinity }: Pick<Note, 'expiresAt'>, now: number): boolean {
  return expiresAt > now;
}

const NONE: readonly Note[] = [];

/** Returns the notes that may hold a lane: of the lane, and of all lanes. @param notes - by key, those of holds at least */
export function holdsOn(notes: ReadonlyMap<string, Note>, lane: string): readonly Note[] {
  if (notes.size === 0) return NONE;
  const keys = HOLD_SOURCES.flatMap((source) => [holdKey({ source }), holdKey({ lane, source })]);
  return keys.flatMap((key) => notes.get(key) ?? NONE);
}

/** Returns until when no run of a lane with these holds may start: 0 when it may now, `Infinity` when the lane has to be resumed. */
export function heldUntil(holds: readonly Note[], now: number): number {
  let latest = 0;
  for (const hold of holds)
    if (isHoldActive(hold, now)) latest = Math.max(latest, hold.expiresAt ?? Infinity);
  return latest;
}

/** How many runs of a lane a claim may start: any number, one that probes, or none. */
export type Passage = 'open' | 'probe' | 'closed';

/** Returns which runs of a lane with these holds a claim may start. */
export function passageOf(holds: readonly Note[], now: number): Passage {
  if (heldUntil(holds, now) > now) return 'closed';
  return holds.some(({ probeMs }) => probeMs !== undefined) ? 'probe' : 'open';
}

/**
 * Returns when a claim gets more of a lane by time alone: when its next scheduled run is due, or its hold ends; `Infinity` when neither
 * comes. What is due while the lane is on hold does not count before the hold ends.
 */
export function nextWorkAt(
  lane: { readonly heldUntil: number; readonly dueAt: number; readonly isReady: boolean },
  now: number,
): number {
  if (lane.heldUntil <= now) return lane.dueAt;
  return lane.isReady ? lane.heldUntil : Math.max(lane.heldUntil, lane.dueAt);
}

/** Returns the note of a hold that has just let a run through: it probes again `probeMs` from now. */
export function probedHold(note: Note, now: number): Note {
  return note.probeMs === undefined ? note : { ...note, expiresAt: keepableMs(now + note.probeMs) };
}

/** Compares holds by the order in which they are listed: by lane and source, those of all lanes first. */
export function compareHolds(left: Hold, right: Hold): number {
  return compareText(left.lane ?? '', right.lane ?? '') || compareText(left.source, right.source);
}

/** Compares texts by their UTF-16 units. */
export function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
