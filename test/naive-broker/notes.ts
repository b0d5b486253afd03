import type { Note, NoteWrite } from '@retry/core/broker';
import { changedNotes, holdsOn, probedHold, writtenNote } from '@retry/core/broker/kit';

/** Creates the notes: all that were written, those that have expired included, and the version of the latest one. */
export function createNotes() {
  const all = new Map<string, Note>();
  let latest = 0;

  return {
    all,
    changed: (writes: readonly NoteWrite[], now: number) => changedNotes(writes, (key) => all.get(key), now),
    write: (writes: readonly NoteWrite[], now: number) =>
      writes.map(({ value, ...write }) => {
        all.delete(write.key);
        if (value === null) return 0;
        latest += 1;
        all.set(write.key, writtenNote({ ...write, value }, latest, now));
        return latest;
      }),
    /** The next run of the lane is let through some time from now. */
    probe(lane: string, now: number): void {
      for (const hold of holdsOn(all, lane)) all.set(hold.key, probedHold(hold, now));
    },
  };
}
