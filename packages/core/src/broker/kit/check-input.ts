import type { Problem } from '../../errors.ts';
import { InvalidOptionsError } from '../../errors.ts';
import type {
  Attendance,
  Broker,
  Claim,
  ExchangeRequest,
  ExpiredScope,
  HeartbeatRequest,
  ListQuery,
  Submission,
} from '../broker.ts';
import type { Concurrency } from '../run.ts';
import { textProblem } from './limits.ts';

/** The highest limit of a concurrency key. */
const MAX_CONCURRENCY = 2_147_483_647;

/** Collects what is wrong with one call. */
interface Findings {
  readonly problems: Problem[];
  /** Checks a name; the path is made only for a wrong one. */
  readonly name: (path: () => string, value: unknown) => void;
}

/**
 * Returns the same broker with verbs that check their input before anything is sent or stored: a call with a name that
 * not every broker can store rejects with an `InvalidOptionsError` that lists every problem.
 */
export function checkInput<Kept extends Broker>(broker: Kept): Kept {
  const { within } = broker;
  return {
    ...broker,
    ...checkParts(broker),
    heartbeat: (beats, leaseMs) => after(checkLeases, beats, () => broker.heartbeat(beats, leaseMs)),
    findExpired: (limit, scope) => after(checkScope, scope, () => broker.findExpired(limit, scope)),
    cancel: (ids) => after(checkIds, ids, () => broker.cancel(ids)),
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
    settleAndClaim: (request) => after(checkExchange, request, () => settleAndClaim(request)),
  } satisfies Partial<Broker>;
}

/** Makes the call after the check; a failed check rejects. */
function after<Input, Answer>(
  check: (input: Input) => void,
  input: Input,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  try {
    check(input);
  } catch (error) {
    return Promise.reject(error instanceof InvalidOptionsError ? error : misshapen(input));
  }
  return answer();
}

/** The error of an input that throws when it is read: no value of the port's types does. */
function misshapen(value: unknown): InvalidOptionsError {
  const cure = 'The type Broker of @retry/core/broker says what each verb takes.';
  return new InvalidOptionsError([{ path: '', value, message: 'is not what this verb takes', cure }], 'call');
}

/** The items of a list with their indexes. @throws {TypeError} for anything but a list */
function entriesOf<Item>(list: readonly Item[]): Iterable<readonly [index: number, item: Item]> {
  if (!Array.isArray(list)) throw new TypeError('not a list');
  return list.entries();
}

function checkSubmissions(submissions: readonly Submission[]): void {
  check('submission', ({ problems, name }) => {
    for (const [index, submission] of entriesOf(submissions)) {
      const { id, lane, payload, concurrency } = submission;
      name(() => `[${index}].id`, id);
      name(() => `[${index}].lane`, lane);
      if (typeof payload !== 'string') {
        const cure = 'Write it as JSON text.';
        problems.push({ path: `[${index}].payload`, value: payload, message: 'must be text', cure });
      }
      if (concurrency !== undefined) problems.push(...concurrencyProblems(concurrency, `[${index}]`));
      for (const key of ['runAt', 'delayMs', 'keepResultMs'] as const) {
        const value = submission[key];
        if (value === undefined || (typeof value === 'number' && !Number.isNaN(value))) continue;
        const cure = 'Leave it out if you need none.';
        problems.push({ path: `[${index}].${key}`, value, message: 'must be a number', cure });
      }
    }
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

function checkExchange({ settle = [], claim }: ExchangeRequest): void {
  check('settleAndClaim', (findings) => {
    for (const [index, { id }] of entriesOf(settle)) findings.name(() => `settle[${index}].id`, id);
    if (claim !== undefined) findClaimProblems(claim, findings);
  });
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

function check(subject: string, find: (findings: Findings) => void): void {
  const problems: Problem[] = [];
  find({
    problems,
    name: (path, value) => {
      const message = textProblem(value);
      if (message !== undefined) problems.push({ path: path(), value, message, cure: NAME_CURE });
    },
  });
  if (problems.length > 0) throw new InvalidOptionsError(problems, subject);
}

const NAME_CURE = 'Names are 1 to 512 bytes of UTF-8: hash longer ones, encode binary ones.';

function findClaimProblems({ worker, requestId, lanes }: Claim, { name }: Findings): void {
  name(() => 'claim.worker', worker);
  name(() => 'claim.requestId', requestId);
  for (const lane of lanes.keys()) name(() => 'claim.lanes', lane);
}

function concurrencyProblems({ key, limit }: Concurrency, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const message = textProblem(key);
  if (message !== undefined)
    problems.push({ path: `${path}.concurrency.key`, value: key, message, cure: NAME_CURE });
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_CONCURRENCY) return problems;
  const range = `must be an integer from 1 to ${MAX_CONCURRENCY}`;
  const cure = 'Leave the concurrency out for no limit.';
  return [...problems, { path: `${path}.concurrency.limit`, value: limit, message: range, cure }];
}
