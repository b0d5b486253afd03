import type { Note, Notes, NotesQuery, NoteWrite } from '@retry/core/broker';
import { compareUtf8, keepableMs } from '@retry/core/broker/kit';
import { readNotesScript, writeNotesScript } from '../scripts/notes.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript } from '../store/store.ts';

/** In place of the version that a write does not ask for. */
const ANY_VERSION = -1;

/** Returns the notes of a partition. */
export function createNotes(store: Store): Notes {
  return {
    read: async (query) => {
      const reply = await runListScript(store, readNotesScript, [packQuery(query)]);
      const [now, found, next] = reply as readonly [number, readonly string[], string]; // what our own script returns
      return { notes: readNotes(found), now, ...(next !== '' && { next }) };
    },
    write: async (writes) => {
      const reply = await runListScript(store, writeNotesScript, [pack(writes.map(packWrite))]);
      const [now, outcome, numbers] = reply as readonly [number, 'written' | 'changed', readonly number[]]; // what our own script returns
      if (outcome === 'changed') return { outcome, changed: numbers, now };
      return { outcome, versions: numbers, now };
    },
  };
}

function packQuery({ prefix, limit, after }: NotesQuery): Buffer {
  const isWithin = after !== undefined && compareUtf8(after, prefix) >= 0;
  return pack([prefix, isWithin ? `(${after}` : `[${prefix}`, limit]);
}

function packWrite({ key, seen = ANY_VERSION, value, ttlMs }: NoteWrite) {
  return [key, seen, value ?? '', ttlMs === undefined ? 0 : keepableMs(ttlMs)];
}

function readNotes(found: readonly string[]): readonly Note[] {
  const notes: Note[] = [];
  for (let index = 0; index < found.length; index += 2) {
    const text = found[index + 1] ?? '';
    const [version, writtenAt, expiresAt] = text.split(' ', 3).map(Number) as [number, number, number]; // what our own script wrote
    const head = `${version} ${writtenAt} ${expiresAt} `;
    notes.push({
      ...{ key: found[index] ?? '', value: text.slice(head.length), version, writtenAt },
      ...(expiresAt > 0 && { expiresAt }),
    });
  }
  return notes;
}
