import { MAX_INSTANT_AT } from '../../../duration.ts';
import type { Problem } from '../../../errors.ts';
import type { AttemptsQuery } from '../../insight/attempts.ts';
import type { DueTimesQuery } from '../../insight/due-times.ts';
import type { LanesQuery } from '../../insight/lanes.ts';
import type { WorkerFacts, WorkerFlow } from '../../insight/workers.ts';
import { MAX_SEARCHED_RUNS } from '../insight/count-attempts.ts';
import { MAX_REPORTED_LANES } from '../insight/lane-report.ts';
import { check, type Findings, findList, findObjectProblem, optionsOf } from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import { FLAG, findWrongFields } from './field-rules.ts';

/** The most spans of `dueTimes`. */
const MAX_BUCKETS = 1_000;

/** Checks the query of `lanes`. @throws {InvalidOptionsError} */
export function checkLanesQuery(query: LanesQuery = {}): void {
  const { lanes } = optionsOf(query);
  check('lanes', (findings) => findLanesProblems(lanes, findings));
}

/** Checks the query of `attempts`. @throws {InvalidOptionsError} */
export function checkAttemptsQuery(query: AttemptsQuery = {}): void {
  const { lane, state, limit } = optionsOf(query);
  check('attempts', ({ problems, name }) => {
    if (lane !== undefined) name(() => 'lane', lane);
    if (state !== undefined && state !== 'submitted' && state !== 'scheduled') {
      const message = "must be 'submitted' or 'scheduled'";
      problems.push({ path: 'state', value: state, message, cure: 'Leave it out for both.' });
    }
    if (limit !== undefined) problems.push(...rangeProblems('limit', limit, [1, MAX_SEARCHED_RUNS]));
  });
}

/** Checks the query of `dueTimes`. @throws {InvalidOptionsError} */
export function checkDueTimesQuery({ from, bucketMs, buckets, lanes }: DueTimesQuery): void {
  check('dueTimes', (findings) => {
    const { problems } = findings;
    findLanesProblems(lanes, findings);
    problems.push(
      ...rangeProblems('from', from, [0, MAX_INSTANT_AT]),
      ...rangeProblems('bucketMs', bucketMs, [1, MAX_INSTANT_AT]),
      ...rangeProblems('buckets', buckets, [1, MAX_BUCKETS]),
    );
    if (problems.length > 0 || from + bucketMs * buckets <= MAX_INSTANT_AT) return;
    const message = `the last span must end at ${MAX_INSTANT_AT} or before`;
    problems.push({ path: 'bucketMs', value: bucketMs, message, cure: 'Ask for fewer or shorter spans.' });
  });
}

const FACTS: FieldRules<WorkerFacts> = { sharesHeartbeatClient: FLAG };

/** Finds what is wrong with the facts of an attendance. */
export function findFactsProblems(facts: WorkerFacts, findings: Findings): void {
  const { problems, name } = findings;
  if (!findObjectProblem('facts', facts, problems)) return;
  const { host, pid, version, startedAt, slots, slotsTaken, leases, eventLoopLagMs, flow } = facts;
  findWrongFields(facts, FACTS, { problems, path: 'facts' });
  if (host !== undefined) name(() => 'facts.host', host);
  if (version !== undefined) name(() => 'facts.version', version);
  const optional = { pid, startedAt, eventLoopLagMs };
  for (const [key, value] of Object.entries(optional))
    if (value !== undefined) problems.push(...numberProblems(`facts.${key}`, value));
  for (const [key, value] of Object.entries({ slots, slotsTaken, leases }))
    problems.push(...numberProblems(`facts.${key}`, value));
  if (flow !== undefined) findFlowProblems(flow, findings);
}

function findFlowProblems(flow: WorkerFlow, { problems, name }: Findings): void {
  if (!findObjectProblem('facts.flow', flow, problems)) return;
  problems.push(...numberProblems('facts.flow.windowMs', flow.windowMs));
  for (const [index, counts] of findList('facts.flow.lanes', flow.lanes, problems).entries()) {
    const path = `facts.flow.lanes[${index}]`;
    if (!findObjectProblem(path, counts, problems)) continue;
    const { lane } = counts;
    name(() => `${path}.lane`, lane);
    for (const key of ['starts', 'retries', 'ends', 'maxLatenessMs'] as const)
      problems.push(...numberProblems(`${path}.${key}`, counts[key]));
  }
}

function findLanesProblems(lanes: readonly string[] | undefined, { problems, name }: Findings): void {
  if (lanes === undefined) return;
  const list = findList('lanes', lanes, problems);
  if (list.length > MAX_REPORTED_LANES) {
    const message = `must be at most ${MAX_REPORTED_LANES} lanes`;
    problems.push({ path: 'lanes', value: list.length, message, cure: 'Ask for them in several calls.' });
    return;
  }
  for (const [index, lane] of list.entries()) name(() => `lanes[${index}]`, lane);
}

function rangeProblems(
  path: string,
  value: number,
  [least, most]: readonly [number, number],
): readonly Problem[] {
  if (Number.isInteger(value) && value >= least && value <= most) return [];
  const message = `must be an integer from ${least} to ${most}`;
  return [{ path, value, message, cure: 'The types in @retry/core/broker say what each figure takes.' }];
}

function numberProblems(path: string, value: unknown): readonly Problem[] {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return [];
  return [{ path, value, message: 'must be a number ≥ 0', cure: 'Leave the facts out if you know none.' }];
}
