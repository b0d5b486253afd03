import type { Note, Notes, NotesPage, NotesQuery, NotesWritten, NoteWrite } from '@retry/core/broker';
import { compareUtf8, keepableMs } from '@retry/core/broker/kit';
import type { Store } from '../record/store.ts';

/** Returns the notes of a broker. */
export function createNotes(
  store: Store,
  call: <Answer>(answer: (now: number) => Answer) => Promise<Answer>,
): Notes {
  return {
    read: (query) => call((now) => readNotes(store, query, now)),
    write: (writes) => call((now) => writeNotes(store, writes, now)),
  };
}

function readNotes({ notes }: Store, { prefix, limit, after }: NotesQuery, now: number): NotesPage {
  const found = [...notes.values()]
    .filter((note) => isKept(note, now) && note.key.startsWith(prefix))
    .filter(({ key }) => after === undefined || compareUtf8(key, after) > 0)
    .sort((one, other) => compareUtf8(one.key, other.key));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { notes: page, now, ...(found.length > limit && last && { next: last.key }) };
}

function writeNotes(store: Store, writes: readonly NoteWrite[], now: number): NotesWritten {
  const { notes } = store;
  for (const note of notes.values()) if (!isKept(note, now)) notes.delete(note.key);
  const changed = writes.flatMap(({ key, seen }, index) =>
    seen === undefined || seen === (notes.get(key)?.version ?? 0) ? [] : [index],
  );
  if (changed.length > 0) return { outcome: 'changed', changed, now };
  const versions = writes.map(({ key, value, ttlMs }) => {
    if (value === null) {
      notes.delete(key);
      return 0;
    }
    store.noteVersion += 1;
    const version = store.noteVersion;
    const ends = ttlMs === undefined ? {} : { expiresAt: keepableMs(now + keepableMs(ttlMs)) };
    notes.set(key, { key, value, version, writtenAt: now, ...ends });
    return version;
  });
  return { outcome: 'written', versions, now };
}

function isKept({ expiresAt = Infinity }: Note, now: number): boolean {
  return expiresAt > now;
}
