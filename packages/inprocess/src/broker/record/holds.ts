import { heldUntil, holdsOn, isNoteKept, probedHold } from '@retry/core/broker/kit';
import type { Store } from './store.ts';

/** Returns until when no run of a lane may start: 0 when it is not on hold, `Infinity` when it has to be resumed. */
export function laneHeldUntil({ holds }: Pick<Store, 'holds'>, lane: string, now: number): number {
  return heldUntil(holdsOn(holds, lane), now);
}

/** Notes that a run of the lane was let through: the next one only after `probeMs`. */
export function noteProbe({ holds }: Store, lane: string, now: number): void {
  for (const hold of holdsOn(holds, lane)) holds.set(hold.key, probedHold(hold, now));
}

/** Deletes the notes that have expired. */
export function forgetNotes({ notes, holds }: Pick<Store, 'notes' | 'holds'>, now: number): void {
  notes.forget(now);
  for (const hold of holds.values()) if (!isNoteKept(hold, now)) holds.delete(hold.key);
}
