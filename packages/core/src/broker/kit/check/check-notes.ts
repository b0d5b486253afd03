import type { Problem } from '../../../errors.ts';
import { isNumber, optional } from '../../../fields/check-arguments.ts';
import type { NotesQuery, NoteWrite } from '../../notes.ts';
import { MAX_NOTE_BYTES, MAX_NOTE_KEY_BYTES, MAX_NOTE_WRITES } from '../../notes.ts';
import { HOLD_PREFIX, HOLD_SOURCES, heldLane } from '../holds.ts';
import { MAX_BATCH_BYTES } from '../storable/sizes.ts';
import { textProblem } from '../storable/texts.ts';
import type { Findings } from './check-findings.ts';
import { check, findInEach } from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import { findWrongFields, wholeFrom } from './field-rules.ts';

/** The most notes of a page. */
const MAX_PAGE = 1_000;

/** Checks the query of `notes.read`. @throws {InvalidOptionsError} */
export function checkNotesQuery(query: NotesQuery): void {
  const { prefix, after } = query;
  check('notes.read', ({ problems }) => {
    if (prefix !== '') findKeyProblem('prefix', prefix, problems);
    if (after !== undefined) findKeyProblem('after', after, problems);
    findWrongFields(query, QUERY, { problems, path: '' });
  });
}

/** Checks the writes of `notes.write`. @throws {InvalidOptionsError} */
export function checkNoteWrites(writes: readonly NoteWrite[]): void {
  check('notes.write', (findings) => findNoteProblems(writes, '', findings));
}

/** Finds what is wrong with writes of notes. */
export function findNoteProblems(writes: readonly NoteWrite[], list: string, findings: Findings): void {
  const { problems } = findings;
  const keys = new Set<string>();
  findInEach(writes, problems, (write, at) => {
    const { key, value } = write;
    const path = `${list}${at}`;
    findKeyProblem(`${path}.key`, key, problems);
    if (keys.has(key)) {
      const cure = 'Put what is to be kept into one write.';
      problems.push({ path: `${path}.key`, value: key, message: 'must be written once', cure });
    }
    keys.add(key);
    const message = value === null ? undefined : textProblem(value, MAX_NOTE_BYTES);
    if (message !== undefined) problems.push({ path: `${path}.value`, value, message, cure: VALUE_CURE });
    findWrongFields(write, WRITE, { problems, path });
    findHoldProblems(write, path, problems);
  });
  findTooMuch(writes, list, findings);
}

function findKeyProblem(path: string, value: unknown, problems: Problem[]): void {
  const message = textProblem(value, MAX_NOTE_KEY_BYTES);
  if (message !== undefined) problems.push({ path, value, message, cure: KEY_CURE });
}

function findHoldProblems(write: NoteWrite, path: string, problems: Problem[]): void {
  const { key, ttlMs, expiresAt, probeMs } = write;
  const lane = typeof key === 'string' ? heldLane(key) : undefined;
  if (lane === undefined && String(key).startsWith(HOLD_PREFIX))
    problems.push({ path: `${path}.key`, value: key, message: 'must be the key of a hold', cure: HOLD_CURE });
  if (probeMs === undefined || (lane && (ttlMs ?? expiresAt) !== undefined)) return;
  const message = 'needs a hold of one lane that expires';
  problems.push({ path: `${path}.probeMs`, value: probeMs, message, cure: PROBE_CURE });
}

function findTooMuch(writes: readonly NoteWrite[], path: string, { problems }: Findings): void {
  const refuse = (value: number, message: string): void => {
    problems.push({ path, value, message, cure: 'Make several writes: each is atomic by itself.' });
  };
  if (writes.length > MAX_NOTE_WRITES) refuse(writes.length, `must be at most ${MAX_NOTE_WRITES} writes`);
  const size = writes.reduce((sum, write) => sum + (write?.value?.length ?? 0), 0);
  if (size > MAX_BATCH_BYTES) refuse(size, `must have at most ${MAX_BATCH_BYTES} characters in all values`);
}

const KEY_CURE = 'Keys are 1 to 1024 bytes of UTF-8: hash longer ones, encode binary ones.';

const VALUE_CURE = 'Values are 1 to 65536 bytes of UTF-8: keep more in several notes, and null for no note.';

const HOLD_CURE = `Write hold/<source>/<lane>, with a source of ${HOLD_SOURCES.join(', ')}.`;

const PROBE_CURE = 'Leave it out for a note that is gone when it expires.';

const A_LENGTH = {
  accepts: (value: unknown) => isNumber(value) && value > 0 && value < Infinity,
  message: 'must be a finite number of milliseconds > 0',
};

const QUERY: FieldRules<NotesQuery> = {
  limit: wholeFrom(1, { most: MAX_PAGE, cure: 'Read further pages with after.' }),
};

const WRITE: FieldRules<NoteWrite> = {
  seen: optional(
    wholeFrom(0, { cure: 'It is the version of the note that was read, or 0 where there was none.' }),
  ),
  ttlMs: optional({
    ...A_LENGTH,
    cure: 'Leave it out for a note that is kept, and write null to delete one.',
  }),
  expiresAt: optional({
    ...A_LENGTH,
    message: 'must be an instant after 1970',
    cure: 'Leave it out for a note that is kept.',
  }),
  probeMs: optional({ ...A_LENGTH, cure: PROBE_CURE }),
};
