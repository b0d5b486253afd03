import type { Note, Notes, NoteWrite } from '@retry/core/broker';
import { MAX_NOTE_WRITES } from '@retry/core/broker/kit';

/** The most notes of one page. */
const PAGE = 1_000;

/** Returns all notes whose keys begin with a prefix, by the end of their keys. */
export async function readNotes(notes: Notes, prefix: string): Promise<ReadonlyMap<string, Note>> {
  const found = new Map<string, Note>();
  for (let after: string | undefined; ; ) {
    const page = await notes.read({ prefix, limit: PAGE, ...(after !== undefined && { after }) });
    for (const note of page.notes) found.set(note.key.slice(prefix.length), note);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

/** Makes the writes whose notes are still what was seen, each by itself. @returns those that were made */
export async function writeUnchanged<Write extends NoteWrite>(
  notes: Notes,
  writes: readonly Write[],
): Promise<readonly Write[]> {
  const made: Write[] = [];
  for (let from = 0; from < writes.length; from += MAX_NOTE_WRITES) {
    let left = writes.slice(from, from + MAX_NOTE_WRITES);
    while (left.length > 0) {
      const written = await notes.write(left);
      if (written.outcome === 'written') {
        made.push(...left);
        break;
      }
      left = left.filter((_, index) => !written.changed.includes(index));
    }
  }
  return made;
}
