import { InvalidOptionsError } from '../../../errors.ts';
import type { Attendance, Broker, ExpiredScope, HeartbeatRequest, ListQuery } from '../../broker.ts';
import type { Claim, ExchangeRequest } from '../../exchange.ts';
import type { Submission } from '../../submission.ts';
import { withWholeInstants } from '../whole-instants.ts';
import { check, entriesOf, type Findings } from './check-findings.ts';
import { checkEnds, checkHolds, checkReschedules, checkResumes } from './check-operations.ts';
import { checkReservations } from './check-reservations.ts';
import { findSettlementSubmitProblems, findSubmissionProblems } from './check-submission.ts';

/**
 * Returns the same broker with verbs that check their input before anything is sent or stored: a call with a name that
 * not every broker can store rejects with an `InvalidOptionsError` that lists every problem. Instants that a worker estimated
 * are made whole milliseconds.
 */
export function checkInput<Kept extends Broker>(broker: Kept): Kept {
  const { within } = broker;
  return {
    ...broker,
    ...checkParts(broker),
    heartbeat: (beats, leaseMs) => after(checkLeases, beats, () => broker.heartbeat(beats, leaseMs)),
    findExpired: (limit, scope) => after(checkScope, scope, () => broker.findExpired(limit, scope)),
    cancel: (ids) => after(checkIds, ids, () => broker.cancel(ids)),
    end: (requests) => after(checkEnds, requests, () => broker.end(requests)),
    reschedule: (requests) => after(checkReschedules, requests, () => broker.reschedule(requests)),
    hold: (holds) => after(checkHolds, holds, () => broker.hold(holds)),
    resume: (requests) => after(checkResumes, requests, () => broker.resume(requests)),
    reserve: (requests) => after(checkReservations, requests, () => broker.reserve(requests)),
    findCancelRequests: (leases) => after(checkLeases, leases, () => broker.findCancelRequests(leases)),
    redrive: (ids, options) => after(checkIds, ids, () => broker.redrive(ids, options)),
    discard: (ids) => after(checkIds, ids, () => broker.discard(ids)),
    get: (ids, options) => after(checkIds, ids, () => broker.get(ids, options)),
    list: (query) => after(checkListQuery, query, () => broker.list(query)),
    waitForWork: (lanes, wait) => after(checkLanes, lanes, () => broker.waitForWork(lanes, wait)),
    attend: (attendance) => after(checkAttendance, attendance, () => broker.attend(attendance)),
    ...(within && { within: (transaction: unknown) => checkParts(within(transaction)) }),
  };
}

function checkParts({ submit, settleAndClaim }: Pick<Broker, 'submit' | 'settleAndClaim'>) {
  return {
    submit: (submissions) => after(checkSubmissions, submissions, () => submit(submissions)),
    settleAndClaim: (request) => afterReading(readExchange, request, settleAndClaim),
  } satisfies Partial<Broker>;
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
    for (const [index, submission] of entriesOf(submissions))
      findSubmissionProblems(submission, `[${index}]`, findings);
  });
}

function checkIds(ids: readonly string[]): void {
  check('ids', ({ name }) => {
    for (const [index, id] of entriesOf(ids)) name(() => `[${index}]`, id);
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
    for (const [index, settlement] of entriesOf(settle)) {
      findings.name(() => `settle[${index}].id`, settlement.id);
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

function checkListQuery({ lane, errorName }: ListQuery): void {
  check('query', ({ name }) => {
    if (lane !== undefined) name(() => 'lane', lane);
    if (errorName !== undefined) name(() => 'errorName', errorName);
  });
}

function checkAttendance(attendance: Attendance | undefined): void {
  if (attendance === undefined) return;
  const { worker, lanes } = attendance;
  check('attendance', ({ name }) => {
    name(() => 'worker', worker);
    for (const [index, lane] of entriesOf(lanes)) name(() => `lanes[${index}]`, lane);
  });
}

function findClaimProblems({ worker, requestId, lanes }: Claim, { name }: Findings): void {
  name(() => 'claim.worker', worker);
  name(() => 'claim.requestId', requestId);
  for (const lane of lanes.keys()) name(() => 'claim.lanes', lane);
}
