import type { AsyncDispose } from '../../../async-dispose.ts';
import { disposedBy } from '../../../async-dispose.ts';
import { optional } from '../../../fields/check-arguments.ts';
import type { Broker } from '../../broker.ts';
import type { ExchangeRequest } from '../../exchange.ts';
import type { LockOptions } from '../../locked.ts';
import type { Notes } from '../../notes.ts';
import type { Settlement } from '../../settlement.ts';
import type { Submission } from '../../submission.ts';
import { withStorableRuns } from '../storable-runs.ts';
import { readChanges } from './check-change.ts';
import { findClaimProblems } from './check-claim.ts';
import { checkFigures } from './check-figures.ts';
import { check, findList, findOptionsProblem, listOf, optionsOf, readCall } from './check-findings.ts';
import { checkNotesQuery, checkNoteWrites } from './check-notes.ts';
import {
  checkAttendance,
  checkFindExpired,
  checkGet,
  checkHeartbeat,
  checkListQuery,
  checkWait,
} from './check-reading.ts';
import { checkReservations } from './check-reservations.ts';
import { findSettlementProblems, isPlainSettlement } from './check-settlement.ts';
import { findSubmissionProblems, isPlainSubmission } from './check-submission.ts';
import type { FieldRules } from './field-rules.ts';
import { findWrongFields, oneOf } from './field-rules.ts';
import { TrustedExchange, TrustedWait } from './trusted.ts';

/**
 * Returns the same broker with verbs that check their input before anything is sent or stored: a call with a name that not every
 * broker can store, or with a value that the types of the port do not allow, rejects with an `InvalidOptionsError` that lists every
 * problem. What settlements carry is limited to what every broker can store. What a worker of ours sends all the time was right when it
 * was made, and is passed on unread. `await using` closes it.
 */
export function checkInput<Kept extends Broker>(broker: Kept): Kept & AsyncDispose {
  const { within, figures, notes } = broker;
  return {
    ...broker,
    ...checkParts(broker),
    ...checkReading(broker),
    change: (changes, options) =>
      afterReading(readChanges, { changes, options }, (given) => broker.change(given.changes, given.options)),
    reserve: (requests) => after(checkReservations, requests, () => broker.reserve(requests)),
    ...(figures && { figures: (query) => after(checkFigures, query, () => figures(query)) }),
    notes: checkedNotes(notes),
    ...(within && { within: (transaction: unknown) => checkParts(within(transaction)) }),
    ...disposedBy('close'),
  };
}

/** Checks the verbs that leave every run where it is. */
function checkReading(broker: Broker) {
  return {
    heartbeat: (beats, leaseMs) =>
      after(checkHeartbeat, { beats, leaseMs }, () => broker.heartbeat(beats, leaseMs)),
    findExpired: (limit, scope) =>
      after(checkFindExpired, { limit, scope }, () => broker.findExpired(limit, scope)),
    get: (ids, options) => after(checkGet, { ids, options }, () => broker.get(ids, options)),
    list: (query) => after(checkListQuery, query, () => broker.list(query)),
    wait: (request) =>
      request instanceof TrustedWait
        ? broker.wait(request)
        : after(checkWait, request, () => broker.wait(request)),
    attend: (attendance) => after(checkAttendance, attendance, () => broker.attend(attendance)),
  } satisfies Partial<Broker>;
}

function checkedNotes({ read, write }: Notes): Notes {
  return {
    read: (query) => after(checkNotesQuery, query, () => read(query)),
    write: (writes) => after(checkNoteWrites, writes, () => write(writes)),
  };
}

function checkParts({ submit, exchange }: Pick<Broker, 'submit' | 'exchange'>) {
  return {
    submit: (submissions, options) =>
      after(checkSubmit, { submissions, options }, () => submit(submissions, options)),
    exchange: (request) =>
      request instanceof TrustedExchange ? exchange(request) : afterReading(readExchange, request, exchange),
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
    given = readCall(read, input);
  } catch (error) {
    return Promise.reject(error);
  }
  return answer(given);
}

interface SubmitCall {
  readonly submissions: readonly Submission[];
  readonly options: LockOptions | undefined;
}

const LOCKED: FieldRules<LockOptions> = {
  whenLocked: optional(oneOf(['wait', 'answer'], "Leave it out for 'wait'.")),
};

function checkSubmit({ submissions, options }: SubmitCall): void {
  check('submission', (findings) => {
    if (options !== undefined && findOptionsProblem('options', options, findings.problems))
      findWrongFields(options, LOCKED, { problems: findings.problems, path: 'options' });
    // Not by its entries, because every submission comes here.
    const list = listOf(submissions);
    for (let index = 0; index < list.length; index += 1) {
      const submission = list[index] as Submission; // index < list.length
      if (!isPlainSubmission(submission)) findSubmissionProblems(submission, `[${index}]`, findings);
    }
  });
}

function readExchange(request: ExchangeRequest): ExchangeRequest {
  const { settle = [], claim, whenLocked } = optionsOf(request);
  check('exchange', (findings) => {
    const list = findList('settle', settle, findings.problems);
    for (let index = 0; index < list.length; index += 1) {
      const settlement = list[index] as Settlement; // index < list.length
      if (!isPlainSettlement(settlement)) findSettlementProblems(settlement, `settle[${index}]`, findings);
    }
    if (claim !== undefined) findClaimProblems(claim, findings);
    if (whenLocked !== undefined) findWrongFields(request, LOCKED, { problems: findings.problems, path: '' });
  });
  return withStorableRuns(request);
}
