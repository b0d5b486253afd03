import type { Note, NotesPage, NotesQuery, NotesWritten, NoteWrite } from '@retry/core/broker';
import { writtenNote } from '@retry/core/broker/kit';

/** The notes that are kept. */
export type NaiveNotes = ReturnType<typeof createNotes>;

/** Creates the notes: a list of all that were written, and the version of the latest one. */
export function createNotes() {
  let notes: readonly Note[] = [];
  let latest = 0;

  const forgetExpired = (now: number): void => {
    notes = notes.filter(({ expiresAt = Infinity, probeMs }) => expiresAt > now || probeMs !== undefined);
  };
  const set = (note: Note): void => {
    notes = [...notes.filter(({ key }) => key !== note.key), note];
  };
  const changedOf = (writes: readonly NoteWrite[], now: number): readonly number[] => {
    forgetExpired(now);
    return [...writes.keys()].filter((index) => {
      const { key, seen } = writes[index] as NoteWrite; // an index of this very list
      const version = notes.find((note) => note.key === key)?.version ?? 0;
      return seen !== undefined && seen !== version;
    });
  };

  return {
    set,
    get(key: string, now: number): Note | undefined {
      forgetExpired(now);
      return notes.find((note) => note.key === key);
    },
    read({ prefix, limit, after = '' }: NotesQuery, now: number): NotesPage {
      forgetExpired(now);
      const found = notes
        .filter(({ key }) => key.startsWith(prefix) && compare(key, after) > 0)
        .sort((one, other) => compare(one.key, other.key));
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return { notes: page, now, ...(found.length > limit && last && { next: last.key }) };
    },
    changed: changedOf,
    write(writes: readonly NoteWrite[], now: number): NotesWritten {
      const changed = changedOf(writes, now);
      if (changed.length > 0) return { outcome: 'changed', changed, now };
      const versions = writes.map(({ value, ...write }) => {
        notes = notes.filter((note) => note.key !== write.key);
        if (value === null) return 0;
        latest += 1;
        set(writtenNote({ ...write, value }, latest, now));
        return latest;
      });
      return { outcome: 'written', versions, now };
    },
  };
}

/** Compares by code points. */
function compare(left: string, right: string): number {
  const [ones, others] = [[...left], [...right]];
  for (const [index, one] of ones.entries()) {
    const difference = (one.codePointAt(0) ?? 0) - (others[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return ones.length - others.length;
}
