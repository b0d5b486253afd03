import type { Note, NotesPage, NotesQuery, NotesWritten, NoteWrite } from '@retry/core/broker';
import { keepableMs } from '@retry/core/broker/kit';

/** Creates the notes: a list of all that were written, and the version of the latest one. */
export function createNotes() {
  let notes: readonly Note[] = [];
  let latest = 0;

  const forgetExpired = (now: number): void => {
    notes = notes.filter(({ expiresAt = Infinity }) => expiresAt > now);
  };

  return {
    read({ prefix, limit, after = '' }: NotesQuery, now: number): NotesPage {
      forgetExpired(now);
      const found = notes
        .filter(({ key }) => key.startsWith(prefix) && compare(key, after) > 0)
        .sort((one, other) => compare(one.key, other.key));
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return { notes: page, now, ...(found.length > limit && last && { next: last.key }) };
    },
    write(writes: readonly NoteWrite[], now: number): NotesWritten {
      forgetExpired(now);
      const changed = [...writes.keys()].filter((index) => {
        const { key, seen } = writes[index] as NoteWrite; // an index of this very list
        const version = notes.find((note) => note.key === key)?.version ?? 0;
        return seen !== undefined && seen !== version;
      });
      if (changed.length > 0) return { outcome: 'changed', changed, now };
      const versions = writes.map(({ key, value, ttlMs }) => {
        notes = notes.filter((note) => note.key !== key);
        if (value === null) return 0;
        latest += 1;
        const ends = ttlMs === undefined ? {} : { expiresAt: keepableMs(now + keepableMs(ttlMs)) };
        notes = [...notes, { key, value, version: latest, writtenAt: now, ...ends }];
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
