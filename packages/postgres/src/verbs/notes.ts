import type { Notes, NotesPage, NotesWritten, NoteWrite } from '@retry/core/broker';
import { heldLane, keepableMs } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';
import type { ArgumentsOf } from '../schema/signatures.ts';
import type { WorkWaits } from '../wake/waits.ts';

/** What notes work with. */
interface NotesPort {
  readonly database: Database;
  readonly workWaits: WorkWaits;
}

/** Returns the notes of a schema. Holds that are written make the workers of this process look whether they have work. */
export function createNotes({ database, workWaits }: NotesPort): Notes {
  return {
    read: async ({ prefix, limit, after }) => {
      const reply = await database.call('read_notes', { prefix, limit, after: after ?? null });
      return JSON.parse(reply ?? '{}') as NotesPage; // what our own function builds
    },
    write: async (writes) => {
      // One that has been written and is sent again would be answered `changed`.
      const call = writes.some(({ seen }) => seen !== undefined) ? database.callOnce : database.call;
      const reply = await call('write_notes', noteArguments(writes));
      if (writes.some(({ key }) => heldLane(key) !== undefined)) workWaits.pollAll();
      return JSON.parse(reply ?? '{}') as NotesWritten; // what our own function builds
    },
  };
}

/** Returns writes as the arguments of `write_notes`. */
export function noteArguments(writes: readonly NoteWrite[]): ArgumentsOf<'write_notes'> {
  return {
    keys: writes.map(({ key }) => key),
    seen: writes.map(({ seen }) => seen),
    values: writes.map(({ value }) => value ?? undefined),
    ttlsMs: writes.map(({ ttlMs }) => keepable(ttlMs)),
    ends: writes.map(({ expiresAt }) => keepable(expiresAt)),
    probesMs: writes.map(({ probeMs }) => keepable(probeMs)),
  };
}

function keepable(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : keepableMs(ms);
}
