import type { Note, Notes, NoteWrite } from '../notes.ts';
import { keepableMs } from './limits.ts';

/** The most notes of one page. */
const PAGE = 1_000;

/** Returns all notes whose keys begin with a prefix, in the order of their keys. */
export async function readNotes(notes: Notes, prefix: string): Promise<readonly Note[]> {
  const found: Note[] = [];
  for (let after: string | undefined; ; ) {
    const page = await notes.read({ prefix, limit: PAGE, ...(after !== undefined && { after }) });
    found.push(...page.notes);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

/** Returns whether a note is still there. One that probes stays until it is deleted. */
export function isNoteKept({ expiresAt = Infinity, probeMs }: Note, now: number): boolean {
  return probeMs !== undefined || expiresAt > now;
}

/** Returns when the note of a write expires; `undefined` for one that does not. */
export function endOf(
  { ttlMs, expiresAt }: Pick<NoteWrite, 'ttlMs' | 'expiresAt'>,
  now: number,
): number | undefined {
  if (ttlMs === undefined && expiresAt === undefined) return undefined;
  return keepableMs(Math.max(expiresAt ?? 0, ttlMs === undefined ? 0 : now + keepableMs(ttlMs)));
}

/** Returns the note that a write leaves. */
export function writtenNote(write: NoteWrite & { value: string }, version: number, now: number): Note {
  const { key, value, probeMs } = write;
  const expiresAt = endOf(write, now);
  return {
    ...{ key, value, version, writtenAt: now },
    ...(expiresAt !== undefined && { expiresAt }),
    ...(probeMs !== undefined && { probeMs: keepableMs(probeMs) }),
  };
}
