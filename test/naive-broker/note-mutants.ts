import type { Mutant } from './mutants.ts';

/** Mistakes with notes. */
export const NOTE_MUTANTS: readonly Mutant[] = [
  {
    name: 'writes a note that has changed',
    caughtBy: 'notes are written only if they are still what was seen',
    from: 'return seen === undefined || seen === version ? [] : [index];',
    to: 'return seen !== 0 || seen === version ? [] : [index];',
  },
  {
    name: 'creates a note that is there',
    caughtBy: 'notes are created only where there is none, by a write that saw none',
    from: 'return seen === undefined || seen === version ? [] : [index];',
    to: 'return seen === undefined || seen === 0 || seen === version ? [] : [index];',
  },
  {
    name: 'writes a note only where a version is named',
    caughtBy: 'notes are written whatever is there, by a write that names no version',
    from: 'return seen === undefined || seen === version ? [] : [index];',
    to: 'return (seen ?? 0) === version ? [] : [index];',
  },
  {
    name: 'writes the notes of a batch that have not changed',
    caughtBy: 'notes are written all or none, and the answer says which had changed',
    from: 'if (changed.length > 0) return',
    to: 'if (changed.length === writes.length && writes.length > 0) return',
  },
  {
    name: 'counts the versions of each note by themselves',
    caughtBy: 'notes that were deleted and written again are not what was seen before',
    from: 'latest += 1;',
    to: 'latest = 1;',
  },
  {
    name: 'keeps a note that is deleted',
    caughtBy: 'notes that are deleted are gone, and a note that is not there can be deleted',
    from: 'if (value === null) return 0;',
    to: "if (value === null) return all.set(write.key, { ...write, value: '', version: latest, writtenAt: now }), 0;",
  },
  {
    name: 'never forgets a note that has expired',
    caughtBy: 'notes expire by the clock of the broker, and are then as if they had been deleted',
    from: 'isNoteKept(note, now) && note.key.startsWith',
    to: 'note.key.startsWith',
  },
  {
    name: 'orders notes by UTF-16',
    caughtBy: 'notes are ordered by code points, whatever their letters',
    from: '.sort((one, other) => compareUtf8(one.key, other.key));',
    to: '.sort((one, other) => (one.key < other.key ? -1 : 1));',
  },
  {
    name: 'begins each page of notes anew',
    caughtBy: 'notes that are deleted or written while pages are read do not stop the reading',
    from: 'after === undefined || compareUtf8(key, after) > 0',
    to: 'true',
  },
  {
    name: 'takes a prefix for a pattern',
    caughtBy: 'notes are read by any prefix: "a%"',
    from: 'note.key.startsWith(prefix))',
    to: "new RegExp('^' + prefix.replaceAll(/[^a-z%]/gu, '.').replaceAll('%', '.*'), 'su').test(note.key))",
  },
  {
    name: 'changes runs though a note is not what was seen',
    caughtBy: 'change with notes writes nothing if a note is another version',
    from: "if (notes.changed(writes, now).length > 0) return 'fenced';",
    to: '',
  },
  {
    name: 'changes some runs where others are not changed, and writes the notes',
    caughtBy: 'change with notes writes nothing if a run is unknown, and all without it',
    from: "if (answers.some((answer) => answer !== 'done')) return answers;",
    to: '',
  },
  {
    name: 'changes runs without their notes',
    caughtBy: 'change with notes writes the runs and the notes',
    from: '      notes.write(writes, now);\n    }',
    to: '    }',
  },
  {
    name: 'takes an empty list of notes for none',
    caughtBy: 'change with notes may have no runs, or no notes',
    from: 'if (writes !== undefined) {',
    to: 'if (writes !== undefined && writes.length > 0) {',
  },
];
