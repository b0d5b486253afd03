import { optional } from '../../../fields/check-arguments.ts';
import { isDeadLetter } from '../../../lifecycle/arrows.ts';
import type { ListQuery } from '../../broker.ts';
import type { ErrorGroupName, GroupsQuery } from '../../insight/groups.ts';
import { check, type Findings, findObjectProblem } from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import { findWrongFields, TEXT, wholeFrom } from './field-rules.ts';

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
  const message = 'needs the state failed, stalled or rateLimited';
  findings.problems.push({
    path: 'errorGroup',
    value: state,
    message,
    cure: 'Only dead letters have groups.',
  });
}

/** Checks the query of `insight.groups`. @throws {InvalidOptionsError} */
export function checkGroupsQuery(query: GroupsQuery): void {
  const { lane } = query;
  check('groups', ({ problems, name }) => {
    if (lane !== undefined) name(() => 'lane', lane);
    findWrongFields(query, GROUPS_QUERY, { problems, path: '' });
  });
}

const GROUPS_QUERY: FieldRules<GroupsQuery> = {
  limit: wholeFrom(1, { most: 1_000, cure: 'Read further pages with after.' }),
  after: optional({ ...TEXT, cure: 'It is the next of the page before.' }),
};

/** Finds what is wrong with the id of an error group. */
export function findGroupIdProblem(path: string, value: unknown, { problems }: Findings): void {
  if (typeof value === 'string' && AN_ID.test(value)) return;
  const cure = 'Use the id that fingerprint of @retry/core/failures returns.';
  problems.push({ path, value, message: ID_MESSAGE, cure });
}
