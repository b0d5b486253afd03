import { DEAD_LETTER_STATES, isDeadLetter } from '../../../lifecycle/arrows.ts';
import type { ListQuery } from '../../broker.ts';
import type { ErrorGroupName } from '../../insight/groups.ts';
import { type Findings, findObjectProblem } from './check-findings.ts';

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
