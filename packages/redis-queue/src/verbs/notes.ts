import type { Note, Notes, NotesQuery, NoteWrite } from '@retry/core/broker';
import { compareUtf8, keepableMs } from '@retry/core/broker/kit';
import { readNotesScript, writeNotesScript } from '../scripts/lua-code.ts';
import { fromTag, toTag } from '../store/keys.ts';
import type { Packed } from '../store/pack.ts';
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
      return { notes: readNotes(found), now, ...(next !== '' && { next: fromTag(next) }) };
    },
    write: async (writes) => {
      const reply = await runListScript(store, writeNotesScript, [pack(packNotes(writes))]);
      const [now, outcome, numbers] = reply as readonly [number, 'written' | 'changed', readonly number[]]; // what our own script returns
      if (outcome === 'changed') return { outcome, changed: numbers, now };
      return { outcome, versions: numbers, now };
    },
  };
}

function packQuery({ prefix, limit, after }: NotesQuery): Buffer {
  const isWithin = after !== undefined && compareUtf8(after, prefix) >= 0;
  return pack([toTag(prefix), isWithin ? `(${toTag(after)}` : `[${toTag(prefix)}`, limit]);
}

/** Returns writes as scripts get them. */
export function packNotes(writes: readonly NoteWrite[]): Packed {
  return writes.map(packWrite);
}

function packWrite({ key, seen = ANY_VERSION, value, ttlMs = 0, expiresAt = 0, probeMs = 0 }: NoteWrite) {
  return [toTag(key), seen, value ?? '', ...[ttlMs, expiresAt, probeMs].map(keepableMs)];
}

function readNotes(found: readonly string[]): readonly Note[] {
  const notes: Note[] = [];
  for (let index = 0; index < found.length; index += 2) {
    const text = found[index + 1] ?? '';
    const head = text.split(' ', 4).map(Number) as [number, number, number, number]; // what our own script wrote
    const [version, writtenAt, expiresAt, probeMs] = head;
    notes.push({
      ...{
        key: fromTag(found[index] ?? ''),
        value: text.slice(head.join(' ').length + 1),
        version,
        writtenAt,
      },
      ...(expiresAt > 0 && { expiresAt }),
      ...(probeMs > 0 && { probeMs }),
    });
  }
  return notes;
}
