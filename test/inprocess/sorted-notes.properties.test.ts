import type { Note } from '@retry/core/broker';
import { isNoteKept, pageOfNotes } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedNotes } from '../../packages/inprocess/src/broker/record/sorted-notes.ts';

/** Also of letters whose order in UTF-16 is not that in UTF-8. */
const KEY = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '\uffee', '\u{1f600}'),
  minLength: 0,
  maxLength: 4,
});

const NOW = 10;

const ACT = fc.oneof(
  { weight: 4, arbitrary: fc.record({ set: KEY, expiresAt: fc.option(fc.integer({ min: 5, max: 15 })) }) },
  { weight: 1, arbitrary: fc.record({ delete: KEY }) },
  { weight: 1, arbitrary: fc.constant({ forget: NOW }) },
);

describe('sorted notes', () => {
  it('have the pages that all notes have, whatever was written, deleted and has expired', () => {
    fc.assert(
      fc.property(
        fc.array(ACT, { minLength: 5, maxLength: 60 }),
        fc.record({
          prefix: KEY,
          limit: fc.integer({ min: 1, max: 5 }),
          after: fc.option(KEY, { nil: undefined }),
        }),
        (acts, { prefix, limit, after }) => {
          const sorted = new SortedNotes();
          const all = new Map<string, Note>();
          for (const act of acts) {
            if ('set' in act) {
              const note: Note = {
                ...{ key: act.set, value: '-', version: 1, writtenAt: 0 },
                ...(act.expiresAt !== null && { expiresAt: act.expiresAt }),
              };
              sorted.set(act.set, note);
              all.set(act.set, note);
            } else if ('delete' in act) expect(sorted.delete(act.delete)).toBe(all.delete(act.delete));
            else {
              sorted.forget(act.forget);
              for (const note of all.values()) if (!isNoteKept(note, NOW)) all.delete(note.key);
            }
          }
          const query = { prefix, limit, ...(after !== undefined && { after }) };

          for (const key of all.keys()) expect(sorted.get(key)).toBe(all.get(key));
          expect(pageOfNotes(sorted.page(query, NOW), query, NOW)).toEqual(
            pageOfNotes([...all.values()], query, NOW),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
