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
    right: 'where seen <> coalesce(',
    wrong: 'where seen < 0 and seen <> coalesce(',
    scene: SEEN,
  },
  {
    name: 'the notes of a batch that have not changed are written',
    right: "if v_changed <> '{}' then",
    wrong: 'if cardinality(v_changed) = cardinality(p_keys) and cardinality(p_keys) > 0 then',
    scene: ALL_OR_NONE,
  },
  {
    name: 'a note that has expired is read',
    right: 'continue when (v_note.until <= v_now and v_note.probe_ms is null);',
    wrong: 'continue when false;',
    scene: EXPIRED,
  },
  {
    name: 'a note that has expired is still what was seen',
    right: 'and (note.until <= v_now and note.probe_ms is null) is not true), 0)',
    wrong: '), 0)',
    scene: EXPIRED,
  },
  {
    name: 'a note has the version that it had before it was deleted',
    right: "version = nextval('note_version'),",
    wrong: 'version = version + 1,',
    scene: AGAIN,
  },
  {
    name: 'a page of notes ends before its last one',
    right: 'if v_looked = p_limit or v_bytes',
    wrong: 'if v_looked = p_limit - 1 and p_limit > 1 or v_bytes',
    scene: PAGES,
  },
  {
    name: 'a page of notes begins with the last one of the page before',
    right: "key > coalesce(p_after, '') order by key loop",
    wrong: "key >= coalesce(p_after, '') order by key loop",
    scene: PAGES,
  },
  {
    name: 'a note that is kept ends with the time of its write before',
    right: 'until = greatest(p_ends[v_n], case when p_ttls_ms[v_n] is not null then least',
    wrong: 'until = greatest(p_ends[v_n], case when p_ttls_ms[v_n] is null then until else least',
    scene: LATEST,
  },
  {
    name: 'a write that is refused leaves notes',
    right: "select key, '', 0, 0, 0 from unnest(p_keys)",
    wrong: "select key, '', 0, 0, null from unnest(p_keys)",
    scene: ALL_OR_NONE,
  },
  {
    name: 'the prefix is only where the notes begin',
    right: 'exit when not starts_with(v_note.key, p_prefix);',
    wrong: '',
    scene: tellCase('notes are read by the prefix of their keys, in the order of their bytes'),
  },
  {
    name: 'runs are changed though a note is not what was seen',
    right: "if p_note_keys is not null and lock_notes(p_note_keys, p_note_seen) <> '{}' then",
    wrong: "if p_note_keys is not null and lock_notes(p_note_keys, p_note_seen) = '{-1}' then",
    scene: LATE_NOTE,
  },
  {
    name: 'a step is accepted twice',
    right: "if p_note_keys is not null and lock_notes(p_note_keys, p_note_seen) <> '{}' then",
    wrong: "if p_note_keys is not null and lock_notes(p_note_keys, p_note_seen) = '{-1}' then",
    scene: stepOperations,
  },
  {
    name: 'a change that is refused leaves notes',
    right: "perform forget_unwritten(p_note_keys); return json_build_object('isRefused'",
    wrong:
      "update note set until = null, version = nextval('note_version') where key = any (p_note_keys) and version = 0; return json_build_object('isRefused'",
    scene: LATE_RUN,
  },
  {
    name: 'runs are changed without their notes',
    right: 'perform put_notes(p_keys => p_note_keys, p_values => p_note_values,',
    wrong: "perform put_notes(p_keys => '{}'::text[], p_values => p_note_values,",
    scene: TOGETHER,
  },
  {
    name: 'a note that is written with runs lives for ever',
    right: 'p_ttls_ms => p_note_ttls_ms, p_ends => p_note_ends,',
    wrong: 'p_ttls_ms => null, p_ends => p_note_ends,',
    scene: TOGETHER,
  },
  {
    name: 'some runs are changed where others are not, and the notes are written',
    right: 'if p_note_keys is not null then perform forget_unwritten',
    wrong: 'if false then perform forget_unwritten',
    scene: LATE_RUN,
  },
  {
    name: 'a cancel request is left where another run is not changed',
    right: 'if p_note_keys is not null then perform forget_unwritten(p_note_keys);',
    wrong:
      'if p_note_keys is not null then update run set wants_cancel = true where id = any (v_requested); perform forget_unwritten(p_note_keys);',
    scene: LATE_REQUEST,
  },
];
