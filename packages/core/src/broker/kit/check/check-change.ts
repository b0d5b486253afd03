import type { Change, ChangeOptions } from '../../change.ts';
import type { Run } from '../../run.ts';
import { storableRun } from '../storable-runs.ts';
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
export function readChanges({ changes, options }: Call): Call {
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
  return { changes: changes.map(storable), options };
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

function storable(change: Change): Change {
  const { next } = change;
  return next === 'forget' || !isWritten(next) ? change : { ...change, next: storableRun(next) };
}
