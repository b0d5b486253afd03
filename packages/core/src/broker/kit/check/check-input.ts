import type { AsyncDispose } from '../../../async-dispose.ts';
import { disposedBy } from '../../../async-dispose.ts';
import { optional } from '../../../fields/check-arguments.ts';
import { isListOf } from '../../../read.ts';
import type { Broker, WaitForWork, WaitOptions } from '../../broker.ts';
import type { Claim, ExchangeRequest } from '../../exchange.ts';
import type { Notes } from '../../notes.ts';
import type { Settlement } from '../../settlement.ts';
import type { LockOptions, Submission } from '../../submission.ts';
import { withStorableRuns } from '../storable/storable-runs.ts';
import { readChanges } from './check-change.ts';
import { findClaimProblems, findSettlementProblems, isPlainSettlement } from './check-exchange.ts';
import { checkFigures } from './check-figures.ts';
import {
  check,
  entriesOf,
  findList,
  findOptionsProblem,
  MAX_CALL_ITEMS,
  optionsOf,
  refusalOf,
} from './check-findings.ts';
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
import { findSubmissionProblems, isPlainSubmission } from './check-submission.ts';
import type { FieldRules } from './field-rules.ts';
import { findWrongFields, oneOf } from './field-rules.ts';

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
      after(readChanges, { changes, options }, (given) => broker.change(given.changes, given.options)),
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
      request instanceof TrustedExchange ? exchange(request) : after(readExchange, request, exchange),
  } satisfies Partial<Broker>;
}

/** Makes the call with what was read of the input; a failed reading rejects. */
function after<Input, Read, Answer>(
  read: (input: Input) => Read,
  input: Input,
  answer: (given: Read) => Promise<Answer>,
): Promise<Answer> {
  let given: Read;
  try {
    given = read(input);
  } catch (error) {
    return Promise.reject(refusalOf(error, input));
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
  // Without findings and paths, because most have nothing wrong.
  const isUsual = options === undefined || options?.whenLocked === 'answer';
  if (isUsual && isListOf(submissions, isPlainSubmission) && submissions.length <= MAX_CALL_ITEMS) return;
  check('submission', (findings) => {
    const { problems } = findings;
    if (options !== undefined && findOptionsProblem('options', options, problems))
      findWrongFields(options, LOCKED, { problems, path: 'options' });
    for (const [index, submission] of entriesOf(submissions))
      if (!isPlainSubmission(submission)) findSubmissionProblems(submission, `[${index}]`, findings);
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

/**
 * An exchange that `checkInput` passes on unread, because a worker of ours has made it: its settlements are moves of claimed runs by
 * `transitionRun`, at instants that every broker can store, and its names were checked where a user gave them. A copy is read as any other.
 */
export class TrustedExchange implements ExchangeRequest {
  readonly settle: readonly Settlement[];
  readonly claim: Claim | undefined;

  constructor(settle: readonly Settlement[], claim: Claim | undefined) {
    this.settle = settle;
    this.claim = claim;
  }
}

/** A wait for work that `checkInput` passes on unread: see {@link TrustedExchange}. */
export class TrustedWait implements WaitForWork {
  readonly lanes: readonly string[];
  readonly timeoutMs: number;
  readonly signal: WaitOptions['signal'];

  constructor(lanes: Iterable<string>, timeoutMs: number, signal: WaitOptions['signal']) {
    this.lanes = [...lanes];
    this.timeoutMs = timeoutMs;
    this.signal = signal;
  }
}
