import type { Problem } from '../../../errors.ts';
import { optional } from '../../../fields/check-arguments.ts';
import { A_SIGNAL, accepted } from '../../../fields/value-rules.ts';
import type { Attendance, ExpiredScope, GetOptions, ListQuery, WaitRequest } from '../../broker.ts';
import type { HeartbeatRequest } from '../../heartbeat.ts';
import type { WorkerFacts, WorkerFlow } from '../../insight/workers.ts';
import { findGroupFilterProblems } from './check-error.ts';
import {
  check,
  checkIds,
  entriesOf,
  type Findings,
  findList,
  findObjectProblem,
  findOptionsProblem,
  optionsOf,
} from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import {
  EPOCH,
  FINITE_LENGTH,
  FLAG,
  findWrongFields,
  LENGTH,
  NUMBER_OR_NONE,
  oneOf,
  STATE,
  TEXT,
  wholeFrom,
} from './field-rules.ts';

/** The most runs of a page. */
const MAX_PAGE = 1_000;

/** Checks a call of `heartbeat`. @throws {InvalidOptionsError} */
export function checkHeartbeat(call: {
  readonly beats: readonly HeartbeatRequest[];
  readonly leaseMs: number;
}): void {
  check('heartbeat', (findings) => {
    findLeasesProblems(call.beats, findings);
    findWrongFields(call, { leaseMs: FINITE_LENGTH }, { problems: findings.problems, path: '' });
  });
}

/** Checks a call of `findExpired`. @throws {InvalidOptionsError} */
export function checkFindExpired(call: {
  readonly limit: number;
  readonly scope: ExpiredScope | undefined;
}): void {
  check('findExpired', (findings) => {
    const { problems } = findings;
    findWrongFields(call, { limit: EXPIRED_LIMIT }, { problems, path: '' });
    const { scope } = call;
    if (scope === undefined || !findOptionsProblem('scope', scope, problems)) return;
    for (const key of ['lanes', 'exceptLanes'] as const)
      if (scope[key] !== undefined) findLanesProblems(`scope.${key}`, scope[key], findings);
  });
}

/** Checks a call of `get`. @throws {InvalidOptionsError} */
export function checkGet({
  ids,
  options,
}: {
  readonly ids: readonly string[];
  readonly options: GetOptions | undefined;
}): void {
  checkIds(ids);
  if (options === undefined) return;
  check('get', ({ problems }) => {
    if (!findOptionsProblem('options', options, problems)) return;
    findWrongFields(options, GET, { problems, path: 'options' });
    if (options.answer !== 'seen' || options.collect !== true) return;
    const message = "must be left out with answer: 'seen'";
    problems.push({ path: 'options.collect', value: true, message, cure: 'Collect in a call of its own.' });
  });
}

/** Checks the query of `list`. @throws {InvalidOptionsError} */
export function checkListQuery(query: ListQuery): void {
  const { state, lane, errorName, errorGroup } = query;
  check('list', (findings) => {
    const { problems, name } = findings;
    findWrongFields(query, LIST_QUERY, { problems, path: '' });
    if (lane !== undefined) name(() => 'lane', lane);
    if (errorName !== undefined) name(() => 'errorName', errorName);
    if (errorGroup !== undefined) findGroupFilterProblems({ state, errorGroup }, findings);
  });
}

/** Checks what is waited for: lanes, or results. @throws {InvalidOptionsError} */
export function checkWait(request: WaitRequest): void {
  const { lanes, results } = optionsOf(request);
  check('wait', (findings) => {
    const { problems } = findings;
    findWrongFields<WaitRequest>(request, WAIT, { problems, path: '' });
    if (results === undefined) findLanesProblems('lanes', lanes, findings);
    else if (lanes !== undefined) {
      const message = 'must be left out beside results';
      problems.push({ path: 'lanes', value: lanes, message, cure: 'Wait for each in a call of its own.' });
    }
  });
}

/** Checks an attendance. @throws {InvalidOptionsError} */
export function checkAttendance(attendance: Attendance | undefined): void {
  if (attendance === undefined) return;
  const { worker, lanes, facts } = attendance;
  check('attendance', (findings) => {
    const { problems, name } = findings;
    name(() => 'worker', worker);
    findLanesProblems('lanes', lanes, findings);
    findWrongFields(attendance, ATTENDANCE, { problems, path: '' });
    if (facts !== undefined) findFactsProblems(facts, findings);
  });
}

const EXPIRED_LIMIT = wholeFrom(0, { cure: 'Ask for 1000, and again when these are settled.' });

const GET: FieldRules<GetOptions> = {
  collect: FLAG,
  answer: optional(oneOf(['runs', 'none', 'seen'], 'Leave it out for the runs.')),
};

const INCLUDED = optional(oneOf(['include', 'omit'], "Leave it out for 'include'."));

const LIST_QUERY: FieldRules<ListQuery> = {
  state: STATE,
  limit: wholeFrom(1, { most: MAX_PAGE, cure: 'Read further pages with after.' }),
  endedBefore: NUMBER_OR_NONE,
  disposable: INCLUDED,
  payloads: INCLUDED,
  after: optional({ ...TEXT, cure: 'It is the next of the page before.' }),
};

const WAIT: FieldRules<WaitRequest> = {
  results: optional({
    accepts: (value) => value === true,
    message: 'must be true',
    cure: 'Leave it out for work.',
  }),
  timeoutMs: LENGTH,
  signal: optional({ ...A_SIGNAL, accepts: (value) => accepted(A_SIGNAL.accepts, value) }),
};

const ATTENDANCE: FieldRules<Attendance> = { ttlMs: FINITE_LENGTH };

function findLeasesProblems(leases: readonly HeartbeatRequest[], { problems, name }: Findings): void {
  for (const [index, lease] of entriesOf(leases)) {
    if (!findObjectProblem(`[${index}]`, lease, problems)) continue;
    name(() => `[${index}].id`, lease.id);
    if (!EPOCH.accepts(lease.epoch))
      findWrongFields(lease, { epoch: EPOCH }, { problems, path: `[${index}]` });
  }
}

function findLanesProblems(path: string, lanes: readonly string[], { problems, name }: Findings): void {
  for (const [index, lane] of findList(path, lanes, problems).entries())
    name(() => `${path}[${index}]`, lane);
}

const FACTS: FieldRules<WorkerFacts> = { sharesHeartbeatClient: FLAG };

function findFactsProblems(facts: WorkerFacts, findings: Findings): void {
  const { problems, name } = findings;
  if (!findObjectProblem('facts', facts, problems)) return;
  const { host, pid, version, startedAt, slots, slotsTaken, leases, eventLoopLagMs, flow } = facts;
  findWrongFields(facts, FACTS, { problems, path: 'facts' });
  if (host !== undefined) name(() => 'facts.host', host);
  if (version !== undefined) name(() => 'facts.version', version);
  for (const [key, value] of Object.entries({ pid, startedAt, eventLoopLagMs }))
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

function numberProblems(path: string, value: unknown): readonly Problem[] {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return [];
  return [{ path, value, message: 'must be a number ≥ 0', cure: 'Leave the facts out if you know none.' }];
}
