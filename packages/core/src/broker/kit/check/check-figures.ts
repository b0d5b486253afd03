import { MAX_INSTANT_AT } from '../../../duration.ts';
import type { Problem } from '../../../errors.ts';
import { optional } from '../../../fields/check-arguments.ts';
import type { AttemptsQuery, DueTimesQuery, FiguresQuery } from '../../insight/figures.ts';
import type { GroupsQuery } from '../../insight/groups.ts';
import type { LanesQuery } from '../../insight/lanes.ts';
import { MAX_SEARCHED_RUNS } from '../insight/count-attempts.ts';
import { MAX_REPORTED_LANES } from '../insight/lane-report.ts';
import {
  check,
  type Findings,
  findingsIn,
  findList,
  findOptionsProblem,
  optionsOf,
} from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import { findWrongFields, oneOf, TEXT, wholeFrom } from './field-rules.ts';

/** The most spans of `dueTimes`. */
const MAX_BUCKETS = 1_000;

/** Checks which figures are asked for. @throws {InvalidOptionsError} */
export function checkFigures(query: FiguresQuery): void {
  const { lanes, attempts, dueTimes, groups } = optionsOf(query);
  check('figures', ({ problems }) => {
    const find = <Query extends object>(
      path: keyof FiguresQuery,
      given: Query | undefined,
      findProblems: (given: Query, findings: Findings) => void,
    ): void => {
      if (given === undefined || !findOptionsProblem(path, given, problems)) return;
      const own: Problem[] = [];
      findProblems(given, findingsIn(own));
      problems.push(...own.map((problem) => ({ ...problem, path: `${path}.${problem.path}` })));
    };
    find('lanes', lanes, (given, findings) => findLanesProblems(given.lanes, findings));
    find('attempts', attempts, findAttemptsProblems);
    find('dueTimes', dueTimes, findDueTimesProblems);
    find('groups', groups, findGroupsProblems);
    findWrongFields(query, FIGURES, { problems, path: '' });
  });
}

const FIGURES: FieldRules<FiguresQuery> = {
  memory: optional({ accepts: (value) => value === true, message: 'must be true', cure: 'Leave it out.' }),
};

function findAttemptsProblems(query: AttemptsQuery, { problems, name }: Findings): void {
  if (query.lane !== undefined) name(() => 'lane', query.lane);
  findWrongFields(query, ATTEMPTS_QUERY, { problems, path: '' });
}

const ATTEMPTS_QUERY: FieldRules<AttemptsQuery> = {
  state: optional(oneOf(['submitted', 'scheduled'], 'Leave it out for both.')),
  limit: optional(wholeFrom(1, { most: MAX_SEARCHED_RUNS, cure: 'Leave it out for 1000.' })),
};

function findDueTimesProblems(query: DueTimesQuery, findings: Findings): void {
  const { problems } = findings;
  const { from, bucketMs, buckets, lanes } = query;
  findLanesProblems(lanes, findings);
  findWrongFields(query, DUE_TIMES_QUERY, { problems, path: '' });
  if (problems.length > 0 || from + bucketMs * buckets <= MAX_INSTANT_AT) return;
  const message = `the last span must end at ${MAX_INSTANT_AT} or before`;
  problems.push({ path: 'bucketMs', value: bucketMs, message, cure: 'Ask for fewer or shorter spans.' });
}

const DUE_TIMES_QUERY: FieldRules<DueTimesQuery> = {
  from: wholeFrom(0, { most: MAX_INSTANT_AT, cure: 'It is an instant in epoch milliseconds.' }),
  bucketMs: wholeFrom(1, { most: MAX_INSTANT_AT, cure: 'It is a whole number of milliseconds.' }),
  buckets: wholeFrom(1, { most: MAX_BUCKETS, cure: 'Ask for further spans in another call.' }),
};

function findGroupsProblems(query: GroupsQuery, { problems, name }: Findings): void {
  if (query.lane !== undefined) name(() => 'lane', query.lane);
  findWrongFields(query, GROUPS_QUERY, { problems, path: '' });
}

const GROUPS_QUERY: FieldRules<GroupsQuery> = {
  limit: wholeFrom(1, { most: 1_000, cure: 'Read further pages with after.' }),
  after: optional({ ...TEXT, cure: 'It is the next of the page before.' }),
};

function findLanesProblems(lanes: LanesQuery['lanes'], { problems, name }: Findings): void {
  if (lanes === undefined) return;
  const list = findList('lanes', lanes, problems);
  if (list.length > MAX_REPORTED_LANES) {
    const message = `must be at most ${MAX_REPORTED_LANES} lanes`;
    problems.push({ path: 'lanes', value: list.length, message, cure: 'Ask for them in several calls.' });
    return;
  }
  for (const [index, lane] of list.entries()) name(() => `lanes[${index}]`, lane);
}
