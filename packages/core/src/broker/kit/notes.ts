import type { Note, Notes, NotesPage, NotesQuery, NoteWrite } from '../notes.ts';
import { keepableMs } from './storable/instants.ts';
import { compareUtf8 } from './storable/texts.ts';

/** The most notes of one page. */
const PAGE = 1_000;

/** Returns all notes whose keys begin with a prefix, in the order of their keys. */
export async function readNotes(notes: Notes, prefix: string): Promise<readonly Note[]> {
  return (await readNotesAt(notes, prefix)).notes;
}

/** Returns all notes whose keys begin with a prefix, and the broker's clock when the first page was read. */
export async function readNotesAt(
  notes: Notes,
  prefix: string,
): Promise<{ readonly notes: readonly Note[]; readonly now: number }> {
  const found: Note[] = [];
  let now: number | undefined;
  for (let after: string | undefined; ; ) {
    const page = await notes.read({ prefix, limit: PAGE, ...(after !== undefined && { after }) });
    found.push(...page.notes);
    now ??= page.now;
    if (page.next === undefined) return { notes: found, now };
    after = page.next;
  }
}

/** Returns the note of a key, and the broker's clock. It is the first one of those whose keys begin with it. */
export async function readNote(
  notes: Notes,
  key: string,
): Promise<{ readonly note: Note | undefined; readonly now: number }> {
  const { notes: found, now } = await notes.read({ prefix: key, limit: 1 });
  return { note: found.find((one) => one.key === key), now };
}

/** Returns a page of all the notes that a broker has. */
export function pageOfNotes(
  all: readonly Note[],
  { prefix, limit, after }: NotesQuery,
  now: number,
): NotesPage {
  const found = all
    .filter((note) => isNoteKept(note, now) && note.key.startsWith(prefix))
    .filter(({ key }) => after === undefined || compareUtf8(key, after) > 0)
    .sort((one, other) => compareUtf8(one.key, other.key));
  const notes = found.slice(0, limit);
  const last = notes.at(-1);
  return { notes, now, ...(found.length > limit && last && { next: last.key }) };
}

/** Returns the indexes of the writes whose notes are not what was seen. @param noteOf - the note of a key */
export function changedNotes(
  writes: readonly NoteWrite[],
  noteOf: (key: string) => Note | undefined,
  now: number,
): readonly number[] {
  return writes.flatMap(({ key, seen }, index) => {
    const note = noteOf(key);
    const version = note !== undefined && isNoteKept(note, now) ? note.version : 0;
    return seen === undefined || seen === version ? [] : [index];
  });
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
