import type { Notes, NotesPage, NotesQuery, NoteWrite } from '@retry/core/broker';
import { compareUtf8, heldLane, isNoteKept, writtenNote } from '@retry/core/broker/kit';
import { forgetNotes } from '../record/holds.ts';
import type { Store } from '../record/store.ts';
import { rearm } from '../wake/wake.ts';

/** Returns the notes of a broker. */
export function createNotes(
  store: Store,
  call: <Answer>(answer: (now: number) => Answer) => Promise<Answer>,
): Notes {
  return {
    read: (query) => call((now) => readNotes(store, query, now)),
    write: (writes) =>
      call((now) => {
        const changed = changedNotes(store, writes, now);
        if (changed.length > 0) return { outcome: 'changed', changed, now };
        return { outcome: 'written', versions: writeNotes(store, writes, now), now };
      }),
  };
}

function readNotes({ notes, holds }: Store, { prefix, limit, after }: NotesQuery, now: number): NotesPage {
  const found = [...notes.values(), ...holds.values()]
    .filter((note) => isNoteKept(note, now) && note.key.startsWith(prefix))
    .filter(({ key }) => after === undefined || compareUtf8(key, after) > 0)
    .sort((one, other) => compareUtf8(one.key, other.key));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { notes: page, now, ...(found.length > limit && last && { next: last.key }) };
}

/** Returns the indexes of the writes whose notes are not what was seen. */
export function changedNotes(store: Store, writes: readonly NoteWrite[], now: number): readonly number[] {
  forgetNotes(store, now);
  return writes.flatMap(({ key, seen }, index) =>
    seen === undefined || seen === (keptIn(store, key).get(key)?.version ?? 0) ? [] : [index],
  );
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
function keptIn({ notes, holds }: Store, key: string): Store['notes'] {
  return heldLane(key) === undefined ? notes : holds;
}

/** A hold that begins, ends or changes decides when the workers that wait for the lane have work. */
function rearmHeld(store: Store, name: string | undefined): void {
  if (name === undefined) return;
  const lane = store.lanes.get(name);
  const lanes = name === '' ? store.lanes.values() : lane === undefined ? [] : [lane];
  for (const one of lanes) rearm(store, one);
}
