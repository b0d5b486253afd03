import { luaText } from '../support/lua-text.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { tellCase } from '../support/telling-scenes/scene.ts';
import { stepOperations } from '../support/telling-scenes/waiting.ts';

const EXPIRED = tellCase('notes expire by the clock of the broker, and are then as if they had been deleted');
const SEEN = tellCase('notes are written only if they are still what was seen');
const ALL_OR_NONE = tellCase('notes are written all or none, and the answer says which had changed');
const AGAIN = tellCase('notes that were deleted and written again are not what was seen before');
const PAGES = tellCase('notes are read page by page, each once');
const LATEST = tellCase('notes live as long as their latest write says');
const TOGETHER = tellCase('change with notes writes the runs and the notes');
const LATE_NOTE = tellCase('change with notes writes nothing if a note is another version');
const LATE_RUN = tellCase('change with notes writes nothing if a run is unknown, and all without it');
const LATE_REQUEST = tellCase('change with notes leaves no cancel request unless all is written');

/** Mistakes with notes. */
export const NOTE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a note that has changed is written',
    right: "versionOf(call('HGET', hashOf(key), key)) ~= seen then",
    wrong: 'false then',
    scene: SEEN,
  },
  {
    name: 'the notes of a batch that have not changed are written',
    right: 'if #changed > 0 then',
    wrong: 'if #changed == #writes and #writes > 0 then',
    scene: ALL_OR_NONE,
  },
  {
    name: 'a note that has expired is read',
    right: '(ends > 0 and ends <= now and tonumber(probeMs) == 0)',
    wrong: 'false',
    scene: EXPIRED,
  },
  {
    name: 'a note has the version that it had before it was deleted',
    right: 'isChanged, versions[index] = true, latest + index',
    wrong: 'isChanged, versions[index] = true, index',
    scene: AGAIN,
  },
  {
    name: 'a page of notes begins with the last one of the page before',
    right: 'return { now, found, last } end',
    wrong: 'return { now, found, keys[index] } end',
    scene: PAGES,
  },
  {
    name: 'a page of notes has one more than asked for',
    right: 'if index > limit or',
    wrong: 'if index > limit + 1 or',
    scene: PAGES,
  },
  {
    name: 'a note that is kept ends with the time of its write before',
    right: "  call('ZREM', NOTE_ENDS, key)\n",
    wrong: '',
    scene: LATEST,
  },
  {
    name: 'a note that is deleted is listed',
    right: "return call('HDEL', hashOf(key), key) > 0",
    wrong: 'return false',
    scene: tellCase('notes that are deleted are gone, and a note that is not there can be deleted'),
  },
  {
    name: 'the prefix is only where the notes begin',
    right: "'(' .. prefix .. '\\255'",
    wrong: "'+'",
    scene: tellCase('notes are read by the prefix of their keys, in the order of their bytes'),
  },
  {
    name: 'runs are changed though a note is not what was seen',
    right: `if areNotesChanged(notes) then return ${luaText('Mark.notesChanged')} end`,
    wrong: '',
    scene: LATE_NOTE,
  },
  {
    name: 'runs are changed without their notes',
    right: 'writeNotes(notes)',
    wrong: '',
    scene: TOGETHER,
  },
  {
    name: 'some runs are changed where others are not, and the notes are written',
    right: 'if isWhole and done < #ids then return table.concat(answers) end',
    wrong: '',
    scene: LATE_RUN,
  },
  {
    name: 'a cancel request is left where another run is not changed',
    right: 'if isWhole and done < #ids then return table.concat(answers) end',
    wrong: "if isWhole and done < #ids then many('HSET', RECORD, {}) notes = {} end",
    scene: LATE_REQUEST,
  },
  {
    name: 'a step is accepted twice',
    right: `if areNotesChanged(notes) then return ${luaText('Mark.notesChanged')} end`,
    wrong: '',
    scene: stepOperations,
  },
  {
    name: 'the version of a note stays where it is written with runs',
    right: "call('HINCRBY', META, 'noteVersion', #writes) - #writes",
    wrong: "tonumber(call('HGET', META, 'noteVersion') or 0)",
    scene: stepOperations,
  },
];
