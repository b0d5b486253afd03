import type { Note, Notes, NoteWrite } from '@retry/core/broker';
import { inBatches, readNote } from '@retry/core/broker/kit';
import { idKey } from './record.ts';

/** The note that a schedule is in, and the broker's clock. */
interface FoundSchedule {
  readonly now: number;
  /** Absent: there is no such schedule, or it was moved while it was read. */
  readonly note?: Note;
  /** Whether there is no such schedule. */
  readonly isAbsent: boolean;
}

/** Finds the schedule of an id, also one that cannot be read. */
export async function findSchedule(notes: Notes, id: string): Promise<FoundSchedule> {
  const { note: place, now } = await readNote(notes, idKey(id));
  if (place === undefined) return { now, isAbsent: true };
  const { note, now: readAt } = await readNote(notes, place.value);
  return { now: readAt, ...(note !== undefined && { note }), isAbsent: false };
}

/** The writes by which one schedule changes, all of them or none. */
export interface Change<Of> {
  readonly of: Of;
  readonly writes: readonly NoteWrite[];
}

/** What one call changes: each change has at most three of the 500 writes that a call may have. */
const BATCH = {
  count: 150,
  bytesOf: ({ writes }: Change<unknown>): number =>
    // A UTF-16 unit has at most three bytes, and most of a schedule's text is ASCII.
    writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0),
};

/**
 * Makes changes of schedules, each if its schedule is still as it was read. Each batch is one call unless other clients change the same
 * schedules at the same time: those that they have changed are left out of the next call.
 *
 * @returns the changes that were made, with the new version of the note that has a value
 */
export async function makeChanges<Of>(
  notes: Notes,
  changes: readonly Change<Of>[],
): Promise<ReadonlyMap<Of, readonly number[]>> {
  const made = new Map<Of, readonly number[]>();
  for (const batch of inBatches(changes, BATCH)) {
    for (let rest = batch; rest.length > 0; ) {
      const answer = await notes.write(rest.flatMap(({ writes }) => writes));
      const starts = startsOf(rest);
      if (answer.outcome === 'written') {
        for (const [index, { of, writes }] of rest.entries())
          made.set(of, answer.versions.slice(starts[index], (starts[index] ?? 0) + writes.length));
        break;
      }
      const changed = new Set(answer.changed);
      rest = rest.filter(({ writes }, index) => {
        const start = starts[index] ?? 0;
        return !writes.some((_, offset) => changed.has(start + offset));
      });
    }
  }
  return made;
}

/** Returns at which index the writes of each change begin. */
function startsOf(changes: readonly Change<unknown>[]): readonly number[] {
  let next = 0;
  return changes.map(({ writes }) => {
    const start = next;
    next += writes.length;
    return start;
  });
}
