import { InvalidOptionsError } from '../../../errors.ts';
import type { Attendance, Broker, ExpiredScope, ListQuery } from '../../broker.ts';
import type { Claim, ExchangeRequest } from '../../exchange.ts';
import type { HeartbeatRequest } from '../../heartbeat.ts';
import type { Insight } from '../../insight/insight.ts';
import type { EndRequest, RescheduleRequest } from '../../operation.ts';
import type { Operations } from '../../operations.ts';
import type { Settlement } from '../../settlement.ts';
import type { Submission } from '../../submission.ts';
import type { WithoutWaiting } from '../../without-waiting.ts';
import { withWholeInstants } from '../whole-instants.ts';
import { checkOperation, checkOperationChange, checkOperationClaim, checkOperationId } from './check-bulk.ts';
import { check, entriesOf, type Findings, listOf } from './check-findings.ts';
import { checkGroupsQuery, findGroupFilterProblems, findGroupProblems } from './check-groups.ts';
import {
  checkAttemptsQuery,
  checkDueTimesQuery,
  checkLanesQuery,
  findFactsProblems,
} from './check-insight.ts';
import { checkEnds, checkHolds, checkReschedules, checkResumes } from './check-operations.ts';
import { checkIds, readDiscard, readRedrive } from './check-redrive.ts';
import { checkReservations } from './check-reservations.ts';
import {
  findSettlementSubmitProblems,
  findSubmissionProblems,
  isPlainSubmission,
} from './check-submission.ts';

/**
 * Returns the same broker with verbs that check their input before anything is sent or stored: a call with a name that
 * not every broker can store rejects with an `InvalidOptionsError` that lists every problem. Instants that a worker estimated
 * are made whole milliseconds.
 */
export function checkInput<Kept extends Broker>(broker: Kept): Kept {
  const { within, withoutWaiting, insight, operations } = broker;
  return {
    ...broker,
    ...checkParts(broker),
    heartbeat: (beats, leaseMs) => after(checkLeases, beats, () => broker.heartbeat(beats, leaseMs)),
    findExpired: (limit, scope) => after(checkScope, scope, () => broker.findExpired(limit, scope)),
    ...checkOperators(broker),
    hold: (holds) => after(checkHolds, holds, () => broker.hold(holds)),
    resume: (requests) => after(checkResumes, requests, () => broker.resume(requests)),
    reserve: (requests) => after(checkReservations, requests, () => broker.reserve(requests)),
    findCancelRequests: (leases) => after(checkLeases, leases, () => broker.findCancelRequests(leases)),
    redrive: (ids, options) =>
      afterReading(readRedrive, { ids, options }, () => broker.redrive(ids, options)),
    discard: (ids, options) =>
      afterReading(readDiscard, { ids, options }, () => broker.discard(ids, options)),
    get: (ids, options) => after(checkIds, ids, () => broker.get(ids, options)),
    list: (query) => after(checkListQuery, query, () => broker.list(query)),
    waitForWork: (lanes, wait) => after(checkLanes, lanes, () => broker.waitForWork(lanes, wait)),
    attend: (attendance) => after(checkAttendance, attendance, () => broker.attend(attendance)),
    ...(insight && { insight: checkInsight(insight) }),
    ...(operations && { operations: checkedOperations(operations) }),
    ...(withoutWaiting && { withoutWaiting: checkWithoutWaiting(withoutWaiting) }),
    ...(within && { within: (transaction: unknown) => checkParts(within(transaction)) }),
  };
}

function checkedOperations({ put, get, claim, change, list }: Operations): Operations {
  return {
    list,
    put: (request) => after(checkOperation, request, () => put(request)),
    get: (id) => after(checkOperationId, id, () => get(id)),
    claim: (given) => after(checkOperationClaim, given, () => claim(given)),
    change: (id, to) => after(checkOperationChange, { id, to }, () => change(id, to)),
  };
}

function checkParts({ submit, settleAndClaim }: Pick<Broker, 'submit' | 'settleAndClaim'>) {
  return {
    submit: (submissions) => after(checkSubmissions, submissions, () => submit(submissions)),
    settleAndClaim: (request) => afterReading(readExchange, request, settleAndClaim),
  } satisfies Partial<Broker>;
}

/** Checks the verbs by which an operator ends or moves waiting runs, whatever they answer. */
function checkOperators<Cancel, End, Reschedule>({
  cancel,
  end,
  reschedule,
}: {
  readonly cancel: (ids: readonly string[]) => Promise<Cancel>;
  readonly end: (requests: readonly EndRequest[]) => Promise<End>;
  readonly reschedule: (requests: readonly RescheduleRequest[]) => Promise<Reschedule>;
}) {
  return {
    cancel: (ids: readonly string[]) => after(checkIds, ids, () => cancel(ids)),
    end: (requests: readonly EndRequest[]) => after(checkEnds, requests, () => end(requests)),
    reschedule: (requests: readonly RescheduleRequest[]) =>
      after(checkReschedules, requests, () => reschedule(requests)),
  };
}

function checkWithoutWaiting(verbs: WithoutWaiting): WithoutWaiting {
  return {
    ...checkOperators(verbs),
    submit: (submissions) => after(checkSubmissions, submissions, () => verbs.submit(submissions)),
  };
}

function checkInsight(insight: Insight): Insight {
  return {
    ...insight,
    lanes: (query) => after(checkLanesQuery, query, () => insight.lanes(query)),
    attempts: (query) => after(checkAttemptsQuery, query, () => insight.attempts(query)),
    dueTimes: (query) => after(checkDueTimesQuery, query, () => insight.dueTimes(query)),
    groups: (query) => after(checkGroupsQuery, query, () => insight.groups(query)),
  };
}

/** Makes the call after the check; a failed check rejects. */
function after<Input, Answer>(
  check: (input: Input) => void,
  input: Input,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  return afterReading(check, input, answer);
}

/** Makes the call with what was read of the input; a failed reading rejects. */
function afterReading<Input, Read, Answer>(
  read: (input: Input) => Read,
  input: Input,
  answer: (given: Read) => Promise<Answer>,
): Promise<Answer> {
  let given: Read;
  try {
    given = read(input);
  } catch (error) {
    return Promise.reject(error instanceof InvalidOptionsError ? error : misshapen(input));
  }
  return answer(given);
}

/** The error of an input that throws when it is read: no value of the port's types does. */
function misshapen(value: unknown): InvalidOptionsError {
  const cure = 'The type Broker of @retry/core/broker says what each verb takes.';
  return new InvalidOptionsError([{ path: '', value, message: 'is not what this verb takes', cure }], 'call');
}

function checkSubmissions(submissions: readonly Submission[]): void {
  check('submission', (findings) => {
    // Not by its entries, because every submission comes here.
    const list = listOf(submissions);
    for (let index = 0; index < list.length; index += 1) {
      const submission = list[index] as Submission; // index < list.length
      if (!isPlainSubmission(submission)) findSubmissionProblems(submission, `[${index}]`, findings);
    }
  });
}

function checkLeases(leases: readonly HeartbeatRequest[]): void {
  check('leases', ({ name }) => {
    for (const [index, { id }] of entriesOf(leases)) name(() => `[${index}].id`, id);
  });
}

function readExchange(request: ExchangeRequest): ExchangeRequest {
  const { settle = [], claim } = request;
  check('settleAndClaim', (findings) => {
    const list = listOf(settle);
    for (let index = 0; index < list.length; index += 1) {
      const settlement = list[index] as Settlement; // index < list.length
      findings.name(() => `settle[${index}].id`, settlement.id);
      if (settlement.group !== undefined)
        findGroupProblems(settlement.group, `settle[${index}].group`, findings);
      if (settlement.submit !== undefined)
        findSettlementSubmitProblems(settlement, `settle[${index}].submit`, findings);
    }
    if (claim !== undefined) findClaimProblems(claim, findings);
  });
  return withWholeInstants(request);
}

function checkLanes(lanes: readonly string[]): void {
  check('lanes', ({ name }) => {
    for (const [index, lane] of entriesOf(lanes)) name(() => `[${index}]`, lane);
  });
}

function checkScope({ lanes = [], exceptLanes = [] }: ExpiredScope = {}): void {
  check('scope', ({ name }) => {
    for (const [index, lane] of entriesOf(lanes)) name(() => `lanes[${index}]`, lane);
    for (const [index, lane] of entriesOf(exceptLanes)) name(() => `exceptLanes[${index}]`, lane);
  });
}

function checkListQuery({ state, lane, errorName, errorGroup }: ListQuery): void {
  check('query', (findings) => {
    const { name } = findings;
    if (lane !== undefined) name(() => 'lane', lane);
    if (errorName !== undefined) name(() => 'errorName', errorName);
    if (errorGroup !== undefined) findGroupFilterProblems({ state, errorGroup }, findings);
  });
}

function checkAttendance(attendance: Attendance | undefined): void {
  if (attendance === undefined) return;
  const { worker, lanes, facts } = attendance;
  check('attendance', (findings) => {
    findings.name(() => 'worker', worker);
    for (const [index, lane] of entriesOf(lanes)) findings.name(() => `lanes[${index}]`, lane);
    if (facts !== undefined) findFactsProblems(facts, findings);
  });
}

function findClaimProblems({ worker, requestId, lanes }: Claim, { name }: Findings): void {
  name(() => 'claim.worker', worker);
  name(() => 'claim.requestId', requestId);
  for (const lane of lanes.keys()) name(() => 'claim.lanes', lane);
}
