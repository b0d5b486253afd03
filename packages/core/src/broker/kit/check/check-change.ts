import { isListOf } from '../../../read.ts';
import type { Change, ChangeOptions } from '../../change.ts';
import type { NoteWrite } from '../../notes.ts';
import { MAX_CHANGES_WITH_NOTES } from '../../notes.ts';
import type { Run } from '../../run.ts';
import { HOLD_PREFIX } from '../holds.ts';
import { isStorableRun, storableRun } from '../storable/storable-runs.ts';
import { textProblem } from '../storable/texts.ts';
import { findGroupProblems } from './check-error.ts';
import { findRunProblems, isPlainRun } from './check-exchange.ts';
import type { Findings } from './check-findings.ts';
import { check, findInEach, findOptionsProblem } from './check-findings.ts';
import { findNoteProblems } from './check-notes.ts';
import type { FieldRules } from './field-rules.ts';
import { findWrongFields, isObject, TEXT } from './field-rules.ts';

/** A call of `change`. */
interface Call {
  readonly changes: readonly Change[];
  readonly options?: ChangeOptions | undefined;
}

/** Checks a call of `change`, and returns it with runs that every broker can store. @throws {InvalidOptionsError} */
export function readChanges(call: Call): Call {
  const { changes, options } = call;
  // Without findings and paths, because most have nothing wrong.
  if (options !== undefined || !isListOf(changes, isPlainChange)) checkCall(call);
  return changes.every(isStorableChange) ? call : { changes: changes.map(storable), options };
}

function checkCall({ changes, options }: Call): void {
  check('change', (findings) => {
    const { problems, name } = findings;
    findInEach(changes, problems, (change, path) => {
      name(() => `${path}.id`, change.id);
      findWrongFields(change, CHANGE, { problems, path });
      const { next, group } = change;
      if (isObject(next) && isWritten(next) && !isPlainRun(next))
        findRunProblems(next, `${path}.next`, findings);
      if (group !== undefined) findGroupProblems(group, `${path}.group`, findings);
    });
    if (options === undefined || !findOptionsProblem('options', options, problems)) return;
    const ids = changes.map(({ id }) => id);
    if (options.notes !== undefined) findWrittenTogether(options.notes, ids, findings);
  });
}

/** Finds what is wrong with notes that are written with runs, and with the ids of those. */
function findWrittenTogether(notes: readonly NoteWrite[], ids: readonly string[], findings: Findings): void {
  const { problems } = findings;
  const path = 'options.notes';
  findNoteProblems(notes, path, findings);
  for (const [index, { key }] of notes.entries())
    if (typeof key === 'string' && key.startsWith(HOLD_PREFIX))
      problems.push({
        path: `${path}[${index}].key`,
        value: key,
        message: 'must not be a hold',
        cure: HOLD_CURE,
      });
  if (ids.length <= MAX_CHANGES_WITH_NOTES && new Set(ids).size === ids.length) return;
  const message = `must be at most ${MAX_CHANGES_WITH_NOTES} different runs where notes are written with them`;
  problems.push({ path: '', value: ids.length, message, cure: 'Make several changes.' });
}

const HOLD_CURE = 'Write holds by notes.write: holdLanes does.';

function isPlainChange(given: unknown): boolean {
  if (!isObject(given)) return false;
  const { id, seen, next, group } = given as Change; // each of its fields is checked
  if (group !== undefined || typeof seen !== 'string' || textProblem(id) !== undefined) return false;
  return next === 'forget' || (isObject(next) && (!isWritten(next) || isPlainRun(next)));
}

const CHANGE: FieldRules<Change> = {
  seen: { ...TEXT, cure: 'It is what read returned with the run.' },
  next: {
    accepts: (value) => value === 'forget' || isObject(value),
    message: "must be a run, or 'forget'",
    cure: 'Use what transition of @retry/core/lifecycle returns.',
  },
};

/** Returns whether a run is written whole: of a started one only the cancel request is, whatever else it has. */
function isWritten({ state }: Run): boolean {
  return state !== 'started';
}

function isStorableChange({ next }: Change): boolean {
  return next === 'forget' || !isWritten(next) || isStorableRun(next);
}

function storable(change: Change): Change {
  const { next } = change;
  return next === 'forget' || isStorableChange(change) ? change : { ...change, next: storableRun(next) };
}
