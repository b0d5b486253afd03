import type { Notes, NoteWrite } from '@retry/core/broker';
import { MAX_NOTE_WRITES } from '@retry/core/broker/kit';

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
