import * as core from '@retry/core';
import * as budget from '@retry/core/budget';
import * as circuitBreaker from '@retry/core/circuit-breaker';
import * as dialects from '@retry/core/dialects';
import * as failures from '@retry/core/failures';
import * as lifecycle from '@retry/core/lifecycle';
import * as simulate from '@retry/core/simulate';
import * as testing from '@retry/core/testing';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../support/wrong-input.ts';

/** Values that JavaScript callers pass where something else is needed. */
const WRONG: readonly (readonly [name: string, value: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['NaN', Number.NaN],
  ['a number', 5],
  ['text', 'fast'],
  ['true', true],
  ['a bigint', 5n],
  ['a symbol', Symbol('argument')],
  ['{}', {}],
  ['[]', []],
  ['[null]', [null]],
  ['a function', () => 5],
];

/** An object that nothing can be read of: each use of it throws. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** An argument that is right, and which of the wrong ones are right, too. */
interface Argument {
  readonly right: unknown;
  readonly accepts: (value: unknown) => boolean;
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && !Array.isArray(value) && value !== null;

/** Nothing but values like this one. */
const only = (right: unknown, accepts: Argument['accepts'] = () => false): Argument => ({ right, accepts });

/** What was thrown, a header or a value to be asked about: whatever it is, the function has an answer. */
const anything = (right: unknown): Argument => ({ right, accepts: () => true });

/** Options, of which none is required. */
const options = (right: object = {}): Argument =>
  only(right, (value) => value === undefined || (isObject(value) && value !== null));

const aNumber = (right: number): Argument => only(right, (value) => typeof value === 'number');

const aText = (right: string): Argument =>
  only(right, (value) => typeof value === 'string' || value === undefined);

const policy = core.definePolicy();
const error = new Error('failed');
const random = (): number => 0.5;
const bucket = budget.defineBudget({ type: 'token-bucket' });
const ratio = budget.defineBudget({ type: 'ratio' });
const throttle = budget.defineBudget({ type: 'throttle', maxTokens: 10, tokenRatio: 0.1 });
const breaker = circuitBreaker.defineCircuitBreaker();
const recorded = { errors: [{ name: 'Error', message: 'failed', at: 5 }] };
const world: simulate.WorldInput = {
  traffic: { perSecond: 1 },
  server: { type: 'optimistic-lock' },
  duration: '2s',
};

type Call = (...parameters: never[]) => unknown;
type Row = readonly [call: Call, ...parameters: Argument[]];

const steps = (type: budget.Budget): readonly Argument[] => [only(type), only(budget.openBudget(type, 0))];

/** Every exported function of core's entries. */
const FUNCTIONS: Readonly<Record<string, Row>> = {
  computeDelay: [core.computeDelay, only(policy), aNumber(1), only({ random })],
  decide: [
    core.decide,
    only(policy),
    only({ failures: 1 }),
    only({ error }, isObject),
    only({ now: 0, random }),
  ],
  definePolicy: [core.definePolicy, options(), options()],
  'definePolicy of a policy': [
    core.definePolicy,
    only(policy, (value) => value === undefined || isObject(value)),
    options(),
  ],
  delayBounds: [core.delayBounds, only(policy), aNumber(1)],
  explain: [
    core.explain,
    only(policy),
    anything(error),
    only({ failures: 1 }, (value) => value === undefined),
  ],
  extendPolicy: [core.extendPolicy, only(policy, isObject), only({}, isObject), options()],
  formatDuration: [core.formatDuration, anything(5)],
  isEligible: [core.isEligible, only(policy), only({ failures: 1 })],
  isNonRetryable: [core.isNonRetryable, anything(error)],
  isPolicy: [core.isPolicy, anything(policy)],
  isRetryError: [core.isRetryError, anything(error), anything('BUDGET')],
  isSerializable: [core.isSerializable, only(policy)],
  lintPolicy: [core.lintPolicy, only(policy), options()],
  matchesError: [
    core.matchesError,
    only({ code: 'E' }, (value) => typeof value === 'function'),
    anything(error),
  ],
  parseDuration: [core.parseDuration, only('5s', (value) => typeof value === 'number' && value >= 0)],
  parsePolicy: [core.parsePolicy, only('{}', isObject), options()],
  parseServerDelay: [core.parseServerDelay, anything({ 'retry-after': '5' }), anything(0), anything(429)],
  policyToJSON: [core.policyToJSON, only(policy)],
  preview: [core.preview, only(policy), options()],
  readServerDelay: [core.readServerDelay, anything(error), anything(0)],

  areCharged: [
    failures.areCharged,
    only(recorded.errors, (value) => Array.isArray(value) && value.length === 0),
  ],
  fingerprint: [failures.fingerprint, anything(error)],
  readErrorFacts: [failures.readErrorFacts, anything(error), anything(0)],
  replay: [failures.replay, only(policy), only(recorded), options()],
  summarizeReplays: [
    failures.summarizeReplays,
    only([failures.replay(policy, recorded)], (value) => Array.isArray(value) && value.length === 0),
  ],

  advise: [simulate.advise, only(simulate.simulate(policy, world))],
  compare: [simulate.compare, only([policy]), only(world), options()],
  renderTimeline: [simulate.renderTimeline, only(simulate.simulate(policy, world)), options()],
  simulate: [simulate.simulate, only(policy), only(world), options()],

  isDeadLetter: [lifecycle.isDeadLetter, anything('failed')],
  isEnd: [lifecycle.isEnd, anything('failed')],
  lifecycleDiagram: [lifecycle.lifecycleDiagram],
  transition: [lifecycle.transition, only(lifecycle.NEW_RUN), only({ type: 'submit', at: 0 })],

  allowsRetry: [budget.allowsRetry, ...steps(ratio), aNumber(0), aText('default')],
  'allowsRetry of a bucket': [budget.allowsRetry, ...steps(bucket), aNumber(0), aText('default')],
  'allowsRetry of a throttle': [budget.allowsRetry, ...steps(throttle), aNumber(0), aText('default')],
  budgetAt: [budget.budgetAt, ...steps(bucket), aNumber(0)],
  defineBudget: [budget.defineBudget, only({ type: 'ratio' })],
  openBudget: [budget.openBudget, only(ratio), aNumber(0)],
  stepBudget: [budget.stepBudget, ...steps(ratio), only({ type: 'retry' }), aNumber(0)],
  'stepBudget of a bucket': [budget.stepBudget, ...steps(bucket), only({ type: 'retry' }), aNumber(0)],
  'stepBudget of a throttle': [budget.stepBudget, ...steps(throttle), only({ type: 'failure' }), aNumber(0)],

  closeBreaker: [
    circuitBreaker.closeBreaker,
    aNumber(0),
    only(0, (value) => typeof value === 'number' || value === undefined),
  ],
  countsAsFailure: [circuitBreaker.countsAsFailure, only('budget', (value) => value === undefined)],
  defineCircuitBreaker: [circuitBreaker.defineCircuitBreaker, options()],
  stepBreaker: [
    circuitBreaker.stepBreaker,
    only(breaker),
    only(circuitBreaker.closeBreaker(0)),
    only({ type: 'failure', ticket: 0 }),
    aNumber(0),
  ],

  fromCelery: [dialects.fromCelery, options()],
  fromCmdx: [dialects.fromCmdx, options()],
  fromFluid: [dialects.fromFluid, options()],
  fromJobbers: [dialects.fromJobbers, options()],
  fromTasker: [dialects.fromTasker, options()],

  createVirtualClock: [testing.createVirtualClock, only({ settle: async () => undefined })],
};

/** A part of an argument, and which of the wrong values are right there. */
interface Part {
  readonly name: string;
  readonly index: number;
  readonly key: string;
  /** The path by which it is refused, where that is not its own. */
  readonly named?: string;
  readonly accepts: Argument['accepts'];
}

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isCount = (value: unknown): boolean => Number.isInteger(value);
const isCountOrNone = (value: unknown): boolean => value === undefined || isCount(value);
const isNumberOrNone = (value: unknown): boolean => value === undefined || isNumber(value);
/** `NaN` would be in the sum for good. */
const isAmount = (value: unknown): boolean => isNumber(value) && !Number.isNaN(value);
const isAmountOrNone = (value: unknown): boolean => value === undefined || isAmount(value);
const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === 'string';

/** The parts that functions read of plain data. */
const PARTS: readonly Part[] = [
  { name: 'decide', index: 1, key: 'failures', accepts: isCount },
  { name: 'decide', index: 1, key: 'stalls', accepts: isCountOrNone },
  { name: 'decide', index: 1, key: 'carried', accepts: isCountOrNone },
  { name: 'isEligible', index: 1, key: 'failures', accepts: isAmount },
  { name: 'isEligible', index: 1, key: 'stalls', accepts: isAmountOrNone },
  { name: 'isEligible', index: 1, key: 'carried', accepts: isAmountOrNone },
  { name: 'decide', index: 1, key: 'previousDelayMs', accepts: isNumberOrNone },
  { name: 'decide', index: 2, key: 'serverDelay', accepts: (value) => value === undefined },
  { name: 'decide', index: 3, key: 'now', accepts: isNumber },
  { name: 'decide', index: 3, key: 'random', accepts: (value) => typeof value === 'function' },
  { name: 'decide', index: 3, key: 'startedAt', accepts: isNumberOrNone },
  { name: 'decide', index: 3, key: 'deadlineAt', accepts: isNumberOrNone },
  { name: 'decide', index: 3, key: 'budget', accepts: (value) => value === undefined },
  { name: 'transition', index: 0, key: 'state', accepts: (value) => typeof value === 'string' },
  { name: 'transition', index: 1, key: 'type', accepts: (value) => typeof value === 'string' },
  { name: 'transition', index: 1, key: 'at', accepts: isNumber },
  { name: 'transition', index: 1, key: 'runAt', accepts: isNumberOrNone },
  ...['stepBudget', 'stepBudget of a bucket', 'stepBudget of a throttle'].flatMap((name) => [
    { name, index: 0, key: 'type', named: 'budget', accepts: () => false },
    {
      name,
      index: 1,
      key: 'tokens',
      accepts: (value: unknown) => Array.isArray(value) && value.length === 0,
    },
    { name, index: 1, key: 'steppedAt', accepts: isNumber },
    { name, index: 2, key: 'type', accepts: () => false },
    { name, index: 2, key: 'kind', accepts: isTextOrNone },
    { name, index: 2, key: 'paid', accepts: isAmountOrNone },
  ]),
  ...(
    [
      ['stepBudget', 'ratio', 'minPerSecond', 'windowMs'],
      ['stepBudget of a bucket', 'capacity', 'refund', 'refillPerSecond'],
      ['stepBudget of a throttle', 'maxTokens', 'tokenRatio'],
    ] as const
  ).flatMap(([name, ...keys]) =>
    keys.map((key): Part => ({ name, index: 0, key, named: 'budget', accepts: isNumber })),
  ),
  { name: 'stepBudget of a bucket', index: 0, key: 'costs', named: 'budget', accepts: () => false },
  ...(['failureRatio', 'minimumThroughput', 'samplingDurationMs', 'breakDurationMs'] as const).map(
    (key): Part => ({ name: 'stepBreaker', index: 0, key, named: 'breaker', accepts: isNumber }),
  ),
  { name: 'stepBreaker', index: 1, key: 'type', named: 'state', accepts: () => false },
  { name: 'stepBreaker', index: 1, key: 'ticket', named: 'state', accepts: isNumber },
  { name: 'stepBreaker', index: 1, key: 'steppedAt', named: 'state', accepts: isNumber },
  ...(['successes', 'failures'] as const).map(
    (key): Part => ({
      name: 'stepBreaker',
      index: 1,
      key,
      named: 'state',
      accepts: (value) => Array.isArray(value) && value.length === 0,
    }),
  ),
  { name: 'stepBreaker', index: 2, key: 'type', accepts: () => false },
  { name: 'stepBreaker', index: 2, key: 'ticket', accepts: isNumber },
];

const PART_ROWS = PARTS.flatMap(({ name, index, key, named = key, accepts }) =>
  WRONG.map(([kind, value]) => ({ name, index, key, named, kind, value, isRight: accepts(value) })),
);

/** The call with one part of one argument replaced. */
function callWith({ name, index, key, value }: (typeof PART_ROWS)[number]): unknown {
  const [call, ...parameters] = FUNCTIONS[name] ?? [];
  if (call === undefined) throw new Error(`${name} is not in the table`);
  const rights = parameters.map(({ right }) => right);
  return call(
    ...(Object.assign([...rights], { [index]: { ...(rights[index] as object), [key]: value } }) as never[]),
  );
}

/** Takes what `readFields` returns, within these packages. */
const INTERNAL: readonly string[] = ['readCircuitBreaker'];

const ROWS = Object.entries(FUNCTIONS).flatMap(([name, [call, ...parameters]]) =>
  parameters.flatMap(({ accepts }, index) =>
    WRONG.map(([kind, value]) => ({ name, call, parameters, index, kind, value, isRight: accepts(value) })),
  ),
);

const given = ({ parameters, index, value }: (typeof ROWS)[number]): never[] =>
  parameters.map(({ right }, at) => (at === index ? value : right)) as never[];

describe('every exported function', () => {
  it('is in the table', () => {
    const entries = [core, budget, circuitBreaker, dialects, failures, lifecycle, simulate, testing];
    const exported = entries.flatMap((entry) =>
      Object.entries(entry).flatMap(([name, value]) => (isPlainFunction(value) ? [name] : [])),
    );
    const listed = Object.keys(FUNCTIONS).map((name) => name.split(' ')[0]);

    expect([...new Set([...listed, ...INTERNAL])].sort()).toEqual(exported.sort());
  });

  it.each(Object.entries(FUNCTIONS))(
    '%s takes what the table calls right',
    (_name, [call, ...parameters]) => {
      expect(() => call(...(parameters.map(({ right }) => right) as never[]))).not.toThrow();
    },
  );

  it.each(ROWS.filter(({ isRight }) => !isRight))(
    '$name refuses $kind as argument $index, with path, value and cure',
    async (row) => {
      const { message, problems } = await refusalOf(() => row.call(...given(row)));

      expect(problems.length).toBeGreaterThan(0);
      expect(problems.every(({ path, cure }) => typeof path === 'string' && cure !== '')).toBe(true);
      expect(message).not.toMatch(/Reading it threw TypeError|Cannot (read|destructure)/);
    },
  );

  it.each(
    Object.entries(FUNCTIONS).flatMap(([name, [, ...parameters]]) =>
      parameters.map((_, index) => ({ name, index })),
    ),
  )('$name throws nothing but errors of ours for a revoked Proxy as argument $index', ({ name, index }) => {
    const [call, ...parameters] = FUNCTIONS[name] ?? [];
    const given = parameters.map(({ right }, at) => (at === index ? revoked() : right));
    let thrown: unknown;

    try {
      call?.(...(given as never[]));
    } catch (error) {
      thrown = error;
    }

    expect(thrown === undefined || core.isRetryError(thrown), String(thrown)).toBe(true);
  });

  it.each(PART_ROWS.filter(({ isRight }) => !isRight))(
    '$name refuses $kind as $key of argument $index, and names it',
    async (row) => {
      const { problems } = await refusalOf(() => callWith(row));

      expect(problems.map(({ path }) => path)).toContainEqual(
        expect.stringMatching(new RegExp(`(^|\\.)${row.named}$`)),
      );
    },
  );

  it.each(PART_ROWS.filter(({ isRight }) => isRight))(
    '$name accepts $kind as $key of argument $index',
    (row) => {
      expect(() => callWith(row)).not.toThrow();
    },
  );

  it.each(ROWS.filter(({ isRight }) => isRight))('$name accepts $kind as argument $index', (row) => {
    expect(() => row.call(...given(row))).not.toThrow();
  });
});

function isPlainFunction(value: unknown): boolean {
  return typeof value === 'function' && !(value.prototype instanceof Error);
}
