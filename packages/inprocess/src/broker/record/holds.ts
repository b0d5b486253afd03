import type { Note } from '@retry/core/broker';
import { HOLD_SOURCES, holdKey, isHoldActive, isNoteKept, probedHold } from '@retry/core/broker/kit';
import type { Store } from './store.ts';

/** How many runs of a lane a claim may start: any number, one that probes, or none. */
export type Passage = 'open' | 'probe' | 'closed';

/** Returns which runs of a lane a claim may start. */
export function passageOf(store: Store, lane: string, now: number): Passage {
  if (heldUntil(store, lane, now) > now) return 'closed';
  return holdsOn(store, lane).some((hold) => hold.probeMs !== undefined) ? 'probe' : 'open';
}

/** Returns until when no run of a lane may start: 0 when it is not on hold, `Infinity` when it has to be resumed. */
export function heldUntil(store: Store, lane: string, now: number): number {
  let latest = 0;
  for (const hold of holdsOn(store, lane))
    if (isHoldActive(hold, now)) latest = Math.max(latest, hold.expiresAt ?? Infinity);
  return latest;
}

/** Notes that a run of the lane was let through: the next one only after `probeMs`. */
export function noteProbe({ holds }: Store, lane: string, now: number): void {
  for (const hold of notesOf(holds, lane)) holds.set(hold.key, probedHold(hold, now));
}

/** Deletes the notes that have expired. */
export function forgetNotes({ notes, holds }: Pick<Store, 'notes' | 'holds'>, now: number): void {
  for (const kept of [notes, holds])
    for (const note of kept.values()) if (!isNoteKept(note, now)) kept.delete(note.key);
}

const NONE: readonly Note[] = [];

function holdsOn({ holds }: Store, lane: string): readonly Note[] {
  return holds.size === 0 ? NONE : [...notesOf(holds), ...notesOf(holds, lane)];
}

function notesOf(holds: Store['holds'], lane = ''): readonly Note[] {
  return HOLD_SOURCES.flatMap((source) => holds.get(holdKey({ lane, source })) ?? NONE);
}
