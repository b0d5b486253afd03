import { runInNewContext } from 'node:vm';
import type {
  AttemptError,
  Attendance,
  Broker,
  Change,
  Claim,
  EndRequest,
  HoldRequest,
  ListQuery,
  NotesQuery,
  NoteWrite,
  OperationFilter,
  OperationRequest,
  Run,
  Settlement,
  Submission,
  WaitForResults,
  WaitForWork,
  WorkerFacts,
} from '@retry/core/broker';
import {
  changeOperation,
  claimOperation,
  discardRuns,
  endRuns,
  fieldsOf,
  holdLanes,
  newRun,
  putOperation,
  RUN_COUNTERS,
  redriveRuns,
  rescheduleRuns,
  resumeLanes,
} from '@retry/core/broker/kit';

/** One value of the input of a verb, and what it may be. */
export interface Value {
  /** The verb and the path of the value, as an error names it. */
  readonly verb: string;
  readonly path: string;
  readonly takes: Kind;
  /** The call with this value in an otherwise valid input; it changes nothing that is kept when the value is wrong. */
  readonly call: (broker: Broker, value: never) => Promise<unknown>;
}

/** What a value may be. */
interface Kind {
  readonly wrong: readonly unknown[];
  readonly right: readonly unknown[];
}

const NO_NUMBERS = [Number.NaN, '5', null, true, 5n, [5], {}, new Date(0)];
const NO_TEXTS = [5, null, true, Symbol('text'), ['a'], {}];
const NO_OBJECTS = [null, 5, 'text', true, 5n, Symbol('object')];

const NUMBER: Kind = { wrong: NO_NUMBERS, right: [-1e300, -1, 0, 0.5, 1e300, Infinity] };
const AT_LEAST_0: Kind = { wrong: [...NO_NUMBERS, -1, -0.5, -Infinity], right: [0, 0.5, 1e300, Infinity] };
const FINITE: Kind = { wrong: [...NO_NUMBERS, Infinity, -Infinity], right: [0, 0.5] };
const FINITE_AT_LEAST_0: Kind = { wrong: [...FINITE.wrong, -1, -0.5], right: [0, 0.5, 1] };
const WHOLE: Kind = { wrong: [...FINITE.wrong, 0.5, 2 ** 53], right: [-1, 0, 2 ** 53 - 1] };
const COUNT: Kind = { wrong: [...WHOLE.wrong, -1], right: [0, 1] };
const FROM_1: Kind = { wrong: [...COUNT.wrong, 0], right: [1, 5_000] };
const PAGE: Kind = { wrong: [...FROM_1.wrong, 1_001, 5_000], right: [1, 1_000] };
const BOOLEAN: Kind = { wrong: [0, 1, 'true', null, {}], right: [true, false] };
const TEXT: Kind = { wrong: NO_TEXTS, right: ['', '{}'] };
const OBJECT: Kind = { wrong: NO_OBJECTS, right: [] };
/** Some of its keys have to be there; the same, where a list or a Map would leave out the others. */
const ITEM: Kind = { wrong: [...NO_OBJECTS, [], new Map([['a', 1]])], right: [] };
/** All of its keys may be left out, as a list or a Map leaves them out. */
const OPTIONS: Kind = {
  wrong: [...NO_OBJECTS, [], ['l'], new Map([['a', 1]]), new Set(), new Date(0)],
  right: [{}],
};
const LIST: Kind = { wrong: [...NO_OBJECTS, {}, new Set()], right: [] };
/** More entries than one call takes: the first of them is not looked at. */
const ENDLESS_MAP = Object.defineProperties(new Map(), {
  size: { value: 2 ** 32 },
  [Symbol.iterator]: {
    value: () => {
      throw new Error('its entries are looked at');
    },
  },
});
const MAP: Kind = {
  wrong: [...NO_OBJECTS, {}, [], new Set(['l']), { get: () => 1, entries: () => [] }, ENDLESS_MAP],
  right: [new Map(), runInNewContext('new Map()')],
};

function oneOf(...right: readonly string[]): Kind {
  return { wrong: [...NO_TEXTS, '', 'done', 'toString', '__proto__'], right };
}

/** The same, where the value may be left out. */
function optional({ wrong, right }: Kind): Kind {
  return { wrong, right: [...right, undefined] };
}

/** The same, where the value must not be left out. */
function required({ wrong, right }: Kind): Kind {
  return { wrong: [...wrong, undefined], right };
}

type Call<Input> = (broker: Broker, input: Input) => Promise<unknown>;

/** The values of one part of an input. */
function valuesOf<Part extends object>(
  verb: string,
  at: string,
  { valid, takes, call }: { valid: Part; takes: { readonly [Key in keyof Part]?: Kind }; call: Call<Part> },
): readonly Value[] {
  const kinds = Object.entries(takes) as readonly (readonly [string, Kind])[];
  return kinds.map(([key, kind]) => ({
    verb,
    path: at === '' ? key : `${at}.${key}`,
    takes: kind,
    call: (broker, value) => call(broker, { ...valid, [key]: value }),
  }));
}

const RUN: Run = { ...newRun({ id: 'a', lane: 'l', payload: '1' } as Run), state: 'completed', epoch: 1 };
const ERROR: AttemptError = { epoch: 1, at: 1, name: 'Error', message: 'no' };
const SETTLEMENT: Settlement = { id: 'a', epoch: 1, event: 'complete', next: RUN };
const CLAIM: Claim = {
  worker: 'w',
  requestId: 'r',
  limit: 1,
  lanes: new Map([['other', 1]]),
  leaseMs: 60_000,
};
const FACTS: WorkerFacts = { slots: 1, slotsTaken: 0, leases: 0 };
const ATTENDANCE: Attendance = { worker: 'w', lanes: ['l'], ttlMs: 0 };
const FILTER: OperationFilter = { state: 'failed', endedBefore: 1 };
const OPERATION: OperationRequest = {
  ...{ id: 'o', kind: 'redrive', filter: FILTER, planned: 1, isPlanExact: true },
};

const good: Submission = { id: 'good', lane: 'l', payload: '{}' };
const settle: Call<Settlement> = (broker, settlement) => broker.exchange({ settle: [settlement] });
const settleRun: Call<Run> = (broker, next) => settle(broker, { ...SETTLEMENT, next });

const EVENTS = [
  ...['submit', 'promote', 'start', 'heartbeat', 'complete', 'retry', 'fail', 'release', 'stall'],
  ...['recover', 'giveUp', 'cancel', 'drop', 'limit', 'reschedule', 'end', 'redrive'],
];
const WAITS = ['submitted', 'scheduled'];
const ENDS = ['completed', 'failed', 'cancelled', 'stalled', 'dropped', 'rateLimited'];
const COUNTERS = ['epoch', ...RUN_COUNTERS] as const;
const PAST = fieldsOf('past');

function all<Key extends string>(keys: readonly Key[], kind: Kind): Readonly<Record<Key, Kind>> {
  return Object.fromEntries(keys.map((key) => [key, kind])) as Record<Key, Kind>; // each key is there
}

const SETTLING: readonly Value[] = [
  {
    verb: 'exchange',
    path: '',
    takes: { ...OPTIONS, right: [{}] },
    call: (broker, request) => broker.exchange(request),
  },
  ...valuesOf('exchange', '', {
    valid: {},
    takes: {
      ...{ settle: optional(LIST), claim: optional(OBJECT), whenLocked: optional(oneOf('wait', 'answer')) },
    } as object,
    call: (broker, request: object) => broker.exchange(request),
  }),
  ...valuesOf('submit', '', {
    valid: {},
    takes: { options: optional(OPTIONS) } as object,
    call: (broker, { options }: { options?: object }) => broker.submit([good], options),
  }),
  ...valuesOf('submit', 'options', {
    valid: {},
    takes: { whenLocked: optional(oneOf('wait', 'answer')) } as object,
    call: (broker, options: object) => broker.submit([good], options),
  }),
  ...valuesOf('exchange', '', {
    valid: { 'settle[0]': SETTLEMENT },
    takes: { 'settle[0]': required(OBJECT) },
    call: (broker, given) => settle(broker, given['settle[0]']),
  }),
  ...valuesOf('exchange', 'settle[0]', {
    valid: SETTLEMENT,
    takes: {
      ...{ epoch: required(WHOLE), event: required(oneOf(...EVENTS)), next: required(OBJECT) },
      ...{ delayMs: optional(NUMBER), onlyIfExpired: optional(BOOLEAN) },
      ...{ group: optional(OBJECT), submit: optional(OBJECT) },
    },
    call: settle,
  }),
  ...valuesOf('exchange', 'settle[0].next', {
    valid: RUN,
    takes: {
      ...{ state: required(oneOf(...WAITS, ...ENDS)), ...all(COUNTERS, required(COUNT)) },
      ...{ ...all(PAST, optional(FINITE)), runAt: optional(NUMBER), previousDelayMs: optional(AT_LEAST_0) },
      ...{ lane: required(TEXT), payload: required(TEXT), result: optional({ ...TEXT, right: ['{}'] }) },
      ...{ errors: required(LIST), isDisposable: optional(BOOLEAN) },
    },
    call: settleRun,
  }),
  ...valuesOf('exchange', 'settle[0].next', {
    valid: { 'errors[1]': ERROR },
    takes: { 'errors[1]': required(OBJECT) },
    call: (broker, given) => settleRun(broker, { ...RUN, errors: [ERROR, given['errors[1]']] }),
  }),
  ...valuesOf('exchange', 'settle[0].next.errors[1]', {
    valid: ERROR,
    takes: {
      ...{ epoch: required(WHOLE), at: required(FINITE), startedAt: optional(FINITE) },
      ...{ name: required(TEXT), message: required(TEXT), stack: optional(TEXT), worker: optional(TEXT) },
      ...{ durationMs: optional(FINITE_AT_LEAST_0), stalledWith: optional(FINITE_AT_LEAST_0) },
      ...{ reason: optional(TEXT), isRedacted: optional(BOOLEAN), status: optional(FINITE) },
      context: optional(TEXT),
      code: optional({ wrong: [null, Number.NaN, true, {}], right: [5, 'E'] }),
      causeCode: optional({ wrong: [null, Number.NaN, true, {}], right: [5, 'E'] }),
      unrecorded: optional({ wrong: [null, 'cause', {}, ['status'], [1]], right: [['cause', 'errno']] }),
      retryAfterMs: optional({ wrong: [null, Number.NaN, -1, Infinity, 'never'], right: [0, 5, 'refused'] }),
    },
    call: (broker, error) => settleRun(broker, { ...RUN, errors: [ERROR, error] }),
  }),
  ...valuesOf('exchange', 'settle[0].submit', {
    valid: { ...good, id: '{a}b' },
    takes: { runAt: optional(NUMBER), keepResultMs: optional(AT_LEAST_0), keyed: optional(BOOLEAN) },
    call: (broker, submit) => settle(broker, { ...SETTLEMENT, submit }),
  }),
  ...valuesOf('exchange', 'claim', {
    valid: CLAIM,
    takes: { limit: required(COUNT), leaseMs: required(FINITE_AT_LEAST_0), lanes: required(MAP) },
    call: (broker, claim) => broker.exchange({ settle: [SETTLEMENT], claim }),
  }),
  ...valuesOf('exchange', 'claim', {
    valid: { 'lanes(other)': 1 },
    takes: { 'lanes(other)': required(COUNT) },
    call: (broker, given) =>
      broker.exchange({
        settle: [SETTLEMENT],
        claim: { ...CLAIM, lanes: new Map([['l', 1]]).set('other', given['lanes(other)']) },
      }),
  }),
  ...valuesOf('exchange', 'claim', {
    valid: { ...CLAIM, concurrency: new Map(), dueLimits: new Map() },
    takes: { concurrency: optional(MAP), dueLimits: optional(MAP) },
    call: (broker, claim) => broker.exchange({ settle: [SETTLEMENT], claim }),
  }),
  ...valuesOf('exchange', 'claim.concurrency(l)', {
    valid: { limit: 1, whenFull: 'wait' as const },
    takes: {
      limit: required({ ...FROM_1, wrong: [...FROM_1.wrong, 2 ** 31] }),
      whenFull: required(oneOf('wait', 'claim')),
    },
    call: (broker, ofLane) =>
      broker.exchange({
        settle: [SETTLEMENT],
        claim: { ...CLAIM, concurrency: new Map([['l', ofLane]]) },
      }),
  }),
];

const SUBMITTING: readonly Value[] = [
  ...valuesOf('submit', '', {
    valid: { '[1]': good },
    takes: { '[1]': required(OBJECT) },
    call: (broker, given) => broker.submit([good, given['[1]']]),
  }),
  ...valuesOf('submit', '[1]', {
    valid: { ...good, id: 'other' },
    takes: {
      ...{ runAt: optional(NUMBER), delayMs: optional(NUMBER), keepResultMs: optional(AT_LEAST_0) },
      ...{ keyed: optional(BOOLEAN), payload: required(TEXT) },
      ...{ concurrency: optional(OBJECT), unique: optional(OBJECT), spent: optional(OBJECT) },
    },
    call: (broker, submission) => broker.submit([good, submission]),
  }),
  ...valuesOf('submit', '[1].spent.errors[0]', {
    valid: { name: 'E', message: 'no', at: 1 },
    takes: { isRedacted: optional(BOOLEAN) } as object,
    call: (broker, error) =>
      broker.submit([good, { ...good, id: 'other', spent: { attempts: 1, errors: [error] } }]),
  }),
];

/** What the kit does by `read` and `change`, and by `notes`. */
export const MOVES = {
  end: endRuns,
  reschedule: rescheduleRuns,
  redrive: redriveRuns,
  discard: discardRuns,
  hold: holdLanes,
  resume: resumeLanes,
  'reserve (a correction)': (broker: Broker, requests: Parameters<Broker['reserve']>[0]) =>
    broker.reserve(requests),
  'operations.put': putOperation,
  'operations.claim': claimOperation,
  'operations.change': (broker: Broker, to: 'paused') => changeOperation(broker, 'none', to),
} as const;

const LEASING: readonly Value[] = [
  ...valuesOf('heartbeat', '', {
    valid: { leaseMs: 1 },
    takes: { leaseMs: required(FINITE_AT_LEAST_0) },
    call: (broker, { leaseMs }) => broker.heartbeat([{ id: 'a', epoch: 9 }], leaseMs),
  }),
  ...valuesOf('heartbeat', '[1]', {
    valid: { id: 'b', epoch: 1 },
    takes: { epoch: required(WHOLE) },
    call: (broker, beat) => broker.heartbeat([{ id: 'a', epoch: 9 }, beat], 1),
  }),
  ...valuesOf('heartbeat', '', {
    valid: { '[0]': { id: 'a', epoch: 9 } },
    takes: { '[0]': required(OBJECT) },
    call: (broker, given) => broker.heartbeat([given['[0]']], 1),
  }),
  ...valuesOf('findExpired', '', {
    valid: { limit: 1, scope: {} },
    takes: { limit: required(COUNT), scope: optional(OPTIONS) },
    call: (broker, { limit, scope }) => broker.findExpired(limit, scope),
  }),
  ...valuesOf('findExpired', 'scope', {
    valid: {},
    takes: { lanes: optional(LIST), exceptLanes: optional(LIST) } as object,
    call: (broker, scope: object) => broker.findExpired(1, scope),
  }),
];

const CHANGE: Change = { id: 'none', seen: 'none', next: { ...RUN, id: 'none' } };

const CHANGING: readonly Value[] = [
  ...valuesOf('change', '', {
    valid: { '[0]': CHANGE },
    takes: { '[0]': required(OBJECT) },
    call: (broker, given) => broker.change([given['[0]']]),
  }),
  ...valuesOf('change', '[0]', {
    valid: CHANGE,
    takes: { seen: required(TEXT), next: required(OBJECT), group: optional(OBJECT) },
    call: (broker, change) => broker.change([change]),
  }),
  ...valuesOf('change', '[0].next', {
    valid: RUN,
    takes: {
      ...{ state: required(oneOf(...WAITS, ...ENDS)), ...all(COUNTERS, required(COUNT)) },
      ...{ ...all(PAST, optional(FINITE)), runAt: optional(NUMBER), previousDelayMs: optional(AT_LEAST_0) },
      ...{ errors: required(LIST), isDisposable: optional(BOOLEAN) },
      settledBy: optional({ wrong: [...NO_TEXTS, '', '1', '1:retry\0'], right: ['1:retry'] }),
    },
    call: (broker, next) => broker.change([{ ...CHANGE, next }]),
  }),
  ...valuesOf('change', 'options', {
    valid: {},
    takes: {} as object,
    call: (broker, options: object) => broker.change([], options),
  }),
  ...valuesOf('change', '', {
    valid: {},
    takes: { options: optional(OPTIONS) } as object,
    call: (broker, given: { options?: object }) => broker.change([], given.options),
  }),
];

const OPERATING: readonly Value[] = [
  ...valuesOf('end', '[0]', {
    valid: { id: 'good', as: 'failed', error: { name: 'E', message: 'no' } } as EndRequest,
    takes: { error: required(OBJECT), group: optional(OBJECT) } as object,
    call: (broker, request) => endRuns(broker, [request]),
  }),
  ...valuesOf('end', '', {
    valid: { '[0]': {} as EndRequest },
    takes: { '[0]': required(OBJECT) },
    call: (broker, given) => endRuns(broker, [given['[0]']]),
  }),
  ...valuesOf('reschedule', '[0]', {
    valid: { id: 'none' },
    takes: { runAt: optional(NUMBER), delayMs: optional(NUMBER) } as object,
    call: (broker, request) => rescheduleRuns(broker, [request]),
  }),
  ...valuesOf('hold', '[0]', {
    valid: { lane: 'h', source: 'operator', forMs: -1 } as HoldRequest,
    takes: {
      ...{ until: optional({ ...NUMBER, right: [0] }), forMs: optional({ ...NUMBER, right: [0] }) },
      ...{ source: required(oneOf('operator', 'handler', 'circuit-breaker')), keepLonger: optional(BOOLEAN) },
      probeMs: optional({ wrong: [...FINITE_AT_LEAST_0.wrong, 0], right: [] }),
    },
    call: (broker, hold) => holdLanes(broker, [hold]),
  }),
  ...valuesOf('resume', '[0]', {
    valid: { lane: 'h' },
    takes: { source: optional(oneOf('operator', 'handler', 'circuit-breaker')) } as object,
    call: (broker, request) => resumeLanes(broker, [request]),
  }),
  ...valuesOf('notes.read', '', {
    valid: { prefix: 'none', limit: 1 },
    takes: { limit: required(PAGE) } as object,
    call: (broker, query: NotesQuery) => broker.notes.read(query),
  }),
  ...valuesOf('notes.write', '[0]', {
    valid: { key: 'hold/handler/none', seen: 0, value: null, ttlMs: 1 } as NoteWrite,
    takes: {
      seen: optional(COUNT),
      ttlMs: optional({ wrong: [...FINITE_AT_LEAST_0.wrong, 0], right: [0.5, 1, 1e300] }),
      expiresAt: optional({ wrong: [...FINITE_AT_LEAST_0.wrong, 0], right: [0.5, 1, 1e300] }),
      probeMs: optional({ wrong: [...FINITE_AT_LEAST_0.wrong, 0], right: [0.5, 1, 1e300] }),
    } as object,
    call: (broker, write: NoteWrite) => broker.notes.write([write]),
  }),
  ...valuesOf('reserve', '[0]', {
    valid: { key: 'k', limit: 1, windowMs: 1, count: 1 },
    takes: all(['limit', 'windowMs', 'count'], required(FROM_1)),
    call: (broker, request) => broker.reserve([request]),
  }),
  ...valuesOf('reserve (a correction)', '[0]', {
    valid: { key: 'k', grantedAt: 1, count: 1 },
    takes: all(['grantedAt'], required(COUNT)),
    call: (broker, request) => broker.reserve([request]),
  }),
  ...(['redrive', 'discard'] as const).flatMap((verb) => [
    ...valuesOf(verb, '', {
      valid: {},
      takes: { options: optional(OPTIONS) } as object,
      call: (broker, given: { options?: object }) => MOVES[verb](broker, ['none'], given.options),
    }),
    ...valuesOf(verb, 'options', {
      valid: {},
      takes: { endedBefore: optional(NUMBER), ends: optional(MAP) } as object,
      call: (broker, options: object) => MOVES[verb](broker, ['none'], options),
    }),
  ]),
  ...valuesOf('redrive', 'options', {
    valid: {},
    takes: { keepAttempts: optional(BOOLEAN), runAts: optional(MAP) } as object,
    call: (broker, options: object) => redriveRuns(broker, ['none'], options),
  }),
];

const READING: readonly Value[] = [
  ...valuesOf('get', '', {
    valid: {},
    takes: { options: optional(OPTIONS) } as object,
    call: (broker, given: { options?: object }) => broker.get(['a'], given.options),
  }),
  ...valuesOf('get', 'options', {
    valid: {},
    takes: { collect: optional(BOOLEAN), answer: optional(oneOf('runs', 'none', 'seen')) } as object,
    call: (broker, options: object) => broker.get(['a'], options),
  }),
  ...valuesOf('list', '', {
    valid: { state: 'failed', limit: 10 } as ListQuery,
    takes: {
      ...{ state: required(oneOf('unsubmitted', 'started', ...WAITS, ...ENDS)), limit: required(PAGE) },
      ...{ endedBefore: optional(NUMBER), after: optional({ wrong: [...NO_TEXTS, '', 'x'], right: [] }) },
      ...{ disposable: optional(oneOf('include', 'omit')), payloads: optional(oneOf('include', 'omit')) },
    },
    call: (broker, query) => broker.list(query),
  }),
  ...valuesOf('wait', '', {
    valid: { lanes: ['l'], timeoutMs: 0, signal: AbortSignal.abort() } as WaitForWork,
    takes: {
      ...{ lanes: required(LIST), timeoutMs: required(AT_LEAST_0), signal: optional(OBJECT) },
      results: optional({ wrong: [false, 1, 'yes', null], right: [] }),
    },
    call: (broker, request) => broker.wait(request),
  }),
  ...valuesOf('wait', '', {
    valid: { results: true, timeoutMs: 0, signal: AbortSignal.abort() } as WaitForResults,
    takes: {
      timeoutMs: required(AT_LEAST_0),
      results: { wrong: [false, 1, 'yes', null], right: [true] },
      lanes: optional({ wrong: [['l'], [], 'l', null], right: [] }),
    },
    call: (broker, request) => broker.wait(request),
  }),
  ...valuesOf('attend', '', {
    valid: { ...ATTENDANCE, facts: FACTS },
    takes: { ttlMs: required(FINITE_AT_LEAST_0), lanes: required(LIST), facts: optional(OBJECT) },
    call: (broker, attendance) => broker.attend(attendance),
  }),
  ...valuesOf('attend', 'facts', {
    valid: FACTS,
    takes: {
      ...all(['slots', 'slotsTaken', 'leases'], required(FINITE_AT_LEAST_0)),
      ...all(['pid', 'startedAt', 'eventLoopLagMs'], optional(FINITE_AT_LEAST_0)),
      flow: optional(OBJECT),
    },
    call: (broker, facts) => broker.attend({ ...ATTENDANCE, facts }),
  }),
];

const ASKING: readonly Value[] = [
  ...valuesOf('operations.put', '', {
    valid: OPERATION,
    takes: {
      ...{ kind: required(oneOf('redrive', 'discard')), filter: required(OBJECT) },
      ...{ planned: required(COUNT), isPlanExact: required(BOOLEAN), keepAttempts: optional(BOOLEAN) },
      ...{ maxAttempts: optional(COUNT) },
      ...all(['perSecond', 'spreadMs'], optional({ wrong: [...FINITE_AT_LEAST_0.wrong, 0], right: [0.5] })),
    },
    call: async (broker, request) => putOperation(broker, request),
  }),
  ...valuesOf('operations.put', 'filter', {
    valid: FILTER,
    takes: {
      ...{ state: required(oneOf('failed', 'stalled', 'rateLimited')), endedBefore: required(NUMBER) },
      ...{ endedAfter: optional(NUMBER), ids: optional(LIST) },
      errorGroup: optional({ wrong: [...NO_TEXTS, '', 'a b', 'é', 'x'.repeat(65)], right: ['a-b_C'] }),
    },
    call: async (broker, filter) => putOperation(broker, { ...OPERATION, filter }),
  }),
  ...valuesOf('operations.claim', '', {
    valid: { carrier: 'c', leaseMs: 1 },
    takes: { leaseMs: required(FINITE_AT_LEAST_0) },
    call: async (broker, claim) => claimOperation(broker, claim),
  }),
  ...valuesOf('operations.change', '', {
    valid: { to: 'running' as const },
    takes: { to: required(oneOf('running', 'paused', 'cancelled')) },
    call: async (broker, { to }) => changeOperation(broker, 'none', to),
  }),
  ...valuesOf('figures', '', {
    valid: {},
    takes: {
      ...{
        lanes: optional(OPTIONS),
        attempts: optional(OPTIONS),
        memory: optional({ wrong: [false, 1, null], right: [true] }),
      },
      ...{ dueTimes: optional(ITEM), groups: optional(ITEM) },
    } as object,
    call: async (broker, query: object) => broker.figures?.(query),
  }),
  ...valuesOf('figures', 'lanes', {
    valid: {},
    takes: { lanes: optional(LIST) } as object,
    call: async (broker, lanes: object) => broker.figures?.({ lanes }),
  }),
  ...valuesOf('figures', 'attempts', {
    valid: {},
    takes: { state: optional(oneOf(...WAITS)), limit: optional(FROM_1) } as object,
    call: async (broker, attempts: object) => broker.figures?.({ attempts }),
  }),
  ...valuesOf('figures', 'dueTimes', {
    valid: { from: 0, bucketMs: 1, buckets: 1 },
    takes: { from: required(COUNT), bucketMs: required(FROM_1), buckets: required({ ...PAGE, right: [1] }) },
    call: async (broker, dueTimes) => broker.figures?.({ dueTimes }),
  }),
  ...valuesOf('figures', 'groups', {
    valid: { limit: 1 },
    takes: { limit: required(PAGE), after: optional({ wrong: [...NO_TEXTS, '', 'x'], right: [] }) } as object,
    call: async (broker, groups: { limit: number }) => broker.figures?.({ groups }),
  }),
];

/** Every number, choice, truth value and object of the port. */
export const VALUES: readonly Value[] = [
  ...[...SETTLING, ...SUBMITTING, ...LEASING, ...CHANGING, ...OPERATING, ...READING, ...ASKING],
];
