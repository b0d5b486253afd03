import { isListOf } from '../../../read.ts';
import type { Change, ChangeOptions } from '../../change.ts';
import type { Run } from '../../run.ts';
import { textProblem } from '../limits.ts';
import { isStorableRun, storableRun } from '../storable-runs.ts';
import { findStepProblems } from './check-bulk.ts';
import { check, findInEach, findOptionsProblem } from './check-findings.ts';
import { findGroupProblems } from './check-groups.ts';
import { findRunProblems, isPlainRun } from './check-settlement.ts';
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
    if (options.operation !== undefined) findStepProblems(options.operation, ids, findings);
  });
}

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

/** Of a started run only the cancel request is written, whatever else it has. */
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
