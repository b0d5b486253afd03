import type { Notes, NoteWrite } from '@retry/core/broker';
import { changedNotes, heldLane, pageOfNotes, writtenNote } from '@retry/core/broker/kit';
import { forgetNotes } from '../record/holds.ts';
import type { SortedNotes } from '../record/sorted-notes.ts';
import type { Store } from '../record/store.ts';
import { rearm } from '../wake/wake.ts';

/** Returns the notes of a broker. */
export function createNotes(
  store: Store,
  call: <Answer>(answer: (now: number) => Answer) => Promise<Answer>,
): Notes {
  return {
    read: (query) =>
      call((now) => pageOfNotes([...store.notes.page(query, now), ...store.holds.values()], query, now)),
    write: (writes) =>
      call((now) => {
        const changed = changedIn(store, writes, now);
        if (changed.length > 0) return { outcome: 'changed', changed, now };
        return { outcome: 'written', versions: writeNotes(store, writes, now), now };
      }),
  };
}

/** Returns the indexes of the writes whose notes are not what was seen. */
export function changedIn(store: Store, writes: readonly NoteWrite[], now: number): readonly number[] {
  forgetNotes(store, now);
  return changedNotes(writes, (key) => keptIn(store, key).get(key), now);
}

/** Writes notes, whatever they are, and returns their versions. */
export function writeNotes(store: Store, writes: readonly NoteWrite[], now: number): readonly number[] {
  return writes.map(({ value, ...write }) => {
    const kept = keptIn(store, write.key);
    const version = value === null ? 0 : ++store.noteVersion;
    const isChanged = value === null ? kept.delete(write.key) : true;
    if (value !== null) kept.set(write.key, writtenNote({ ...write, value }, version, now));
    if (isChanged) rearmHeld(store, heldLane(write.key));
    return version;
  });
}

/** Holds are kept by themselves, as each claim looks for those of its lanes. */
function keptIn({ notes, holds }: Store, key: string): Pick<SortedNotes, 'get' | 'set' | 'delete'> {
  return heldLane(key) === undefined ? notes : holds;
}

/** A hold that begins, ends or changes decides when the workers that wait for the lane have work. */
function rearmHeld(store: Store, name: string | undefined): void {
  if (name === undefined) return;
  const lane = store.lanes.get(name);
  const lanes = name === '' ? store.lanes.values() : lane === undefined ? [] : [lane];
  for (const one of lanes) rearm(store, one);
}
