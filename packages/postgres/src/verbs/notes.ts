import type { Note, Notes, NotesPage, NotesWritten } from '@retry/core/broker';
import { keepableMs } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';

/** Returns the notes of a schema. */
export function createNotes(database: Database): Notes {
  return {
    read: async ({ prefix, limit, after }) => {
      const reply = await database.call('read_notes', { prefix, limit, after: after ?? null });
      return readPage(reply ?? '{}');
    },
    write: async (writes) => {
      const reply = await database.call('write_notes', {
        keys: writes.map(({ key }) => key),
        seen: writes.map(({ seen }) => seen),
        values: writes.map(({ value }) => value ?? undefined),
        ttlsMs: writes.map(({ ttlMs }) => (ttlMs === undefined ? undefined : keepableMs(ttlMs))),
      });
      return JSON.parse(reply ?? '{}') as NotesWritten; // what our own function builds
    },
  };
}

/** A page as our own function builds it: what is absent is null there. */
interface PageReply extends Pick<NotesPage, 'now'> {
  readonly notes: readonly (Omit<Note, 'expiresAt'> & { readonly expiresAt: number | null })[];
  readonly next: string | null;
}

function readPage(reply: string): NotesPage {
  const { notes, now, next } = JSON.parse(reply) as PageReply; // what our own function builds
  return {
    notes: notes.map(({ expiresAt, ...note }) => (expiresAt === null ? note : { ...note, expiresAt })),
    now,
    ...(next !== null && { next }),
  };
}
