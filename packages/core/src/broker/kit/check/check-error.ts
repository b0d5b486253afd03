import type { ErrorFacts, UnrecordedFact } from '../../../failures/recorded-attempt.ts';
import { MAX_CODE_LENGTH } from '../../../failures/recorded-attempt.ts';
import { DEAD_LETTER_STATES, isDeadLetter } from '../../../lifecycle/arrows.ts';
import { isListOf } from '../../../read.ts';
import type { OperatorError } from '../../acts.ts';
import type { ListQuery } from '../../broker.ts';
import type { ErrorGroupName } from '../../insight/groups.ts';
import { textProblem } from '../storable/texts.ts';
import { type Findings, findObjectProblem, findTextProblem } from './check-findings.ts';

/** Finds what is wrong with the texts and facts of an error that is to be stored. */
export function findErrorProblems(error: OperatorError, path: string, findings: Findings): void {
  const { problems, name } = findings;
  if (!findObjectProblem(path, error, problems)) return;
  const cure = 'Give name, message and, if there is one, stack as text.';
  name(() => `${path}.name`, error.name);
  findTextProblem(`${path}.message`, error.message, { problems, cure });
  if (error.stack !== undefined) findTextProblem(`${path}.stack`, error.stack, { problems, cure });
  for (const key of FACTS) {
    const value: unknown = error[key];
    const message = value === undefined ? undefined : factProblem(key, value);
    if (message === undefined) continue;
    problems.push({ path: `${path}.${key}`, value, message, cure: 'Use what readErrorFacts returns.' });
  }
}

const FACTS = [
  'code',
  'causeCode',
  'status',
  'retryAfterMs',
  'unrecorded',
] as const satisfies readonly (keyof ErrorFacts)[];

/** Returns whether a list has the names of facts, each once at most. */
export function areUnrecorded(value: unknown): boolean {
  return isListOf(value, (fact) => UNRECORDED.includes(fact)) && value.length <= UNRECORDED.length;
}

const UNRECORDED: readonly unknown[] = [
  'cause',
  'code',
  'errno',
  'sqlState',
  'label',
  'retryable',
] satisfies readonly UnrecordedFact[];

function factProblem(key: keyof ErrorFacts, value: unknown): string | undefined {
  switch (key) {
    case 'code':
    case 'causeCode':
      if (typeof value !== 'string')
        return Number.isFinite(value) ? undefined : 'must be a finite number or text';
      if (value.length > MAX_CODE_LENGTH) return `must have at most ${MAX_CODE_LENGTH} characters`;
      return textProblem(value);
    case 'status':
      return Number.isFinite(value) ? undefined : 'must be a finite number';
    case 'retryAfterMs':
      if (value === 'refused' || (Number.isFinite(value) && Number(value) >= 0)) return undefined;
      return "must be a finite number ≥ 0, or 'refused'";
    case 'unrecorded':
      return areUnrecorded(value) ? undefined : 'must be a list of what is not recorded';
  }
}

const AN_ID = /^[\w-]{1,64}$/;
const ID_MESSAGE = 'must be 1 to 64 letters, digits, _ and - of ASCII';

/** Finds what is wrong with the group of a dead letter. */
export function findGroupProblems(group: ErrorGroupName, path: string, findings: Findings): void {
  if (!findObjectProblem(path, group, findings.problems)) return;
  const { id, title } = group;
  findGroupIdProblem(`${path}.id`, id, findings);
  findings.name(() => `${path}.title`, title);
}

/** Finds what is wrong with a list of the dead letters of one group. */
export function findGroupFilterProblems(
  { state, errorGroup }: Pick<ListQuery, 'state' | 'errorGroup'>,
  findings: Findings,
): void {
  findGroupIdProblem('errorGroup', errorGroup, findings);
  if (isDeadLetter(state)) return;
  const message = `needs one of the states ${DEAD_LETTER_STATES.join(', ')}`;
  findings.problems.push({
    path: 'errorGroup',
    value: state,
    message,
    cure: 'Only dead letters have groups.',
  });
}

/** Finds what is wrong with the id of an error group. */
export function findGroupIdProblem(path: string, value: unknown, { problems }: Findings): void {
  if (typeof value === 'string' && AN_ID.test(value)) return;
  const cure = 'Use the id that fingerprint of @retry/core/failures returns.';
  problems.push({ path, value, message: ID_MESSAGE, cure });
}
