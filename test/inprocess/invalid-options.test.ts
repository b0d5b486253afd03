import { InvalidOptionsError, type Problem } from '@retry/core';
import {
  createRetryBudget,
  createRetryGroup,
  retry,
  retryIterable,
  tryRetry,
  withRetry,
} from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock, seededRandom } from '@retry/inprocess/testing';
import { describe, expect, it, vi } from 'vitest';
import { rejectionOf } from './failing.ts';

const FN = async (): Promise<string> => 'done';
const POLICY = { maxAttempts: 2, backoff: { type: 'none' } } as const;

/** The error that is thrown, or rejected with. */
async function problemsOf(call: () => unknown): Promise<readonly Problem[]> {
  const error = await rejectionOf((async () => call())());
  expect(error).toBeInstanceOf(InvalidOptionsError);
  return (error as InvalidOptionsError).problems; // just asked
}

/** Each option with wrong values, and a part of the cure. */
const WRONG: readonly (readonly [option: string, values: readonly unknown[], cure: string])[] = [
  ['signal', [new AbortController(), 'stop', null, true], 'controller.signal'],
  ['retryIfResult', [true, null, async () => true, 'ok'], 'Await before'],
  ['beforeRetry', [true, null, {}], 'Leave it out'],
  ['onAttempt', [true, null, {}], 'Leave it out'],
  ['onRetry', ['log', null, []], 'Leave it out'],
  ['onGiveUp', [1, null], 'Leave it out'],
  ['onNested', [1, null], 'Leave it out'],
  ['budget', [{ type: 'ratio' }, 0.2, null], 'createRetryBudget'],
  ['group', [{ maxWaiting: 5 }, null, 'all'], 'createRetryGroup'],
  ['parent', [{}, null, new AbortController().signal], 'ctx'],
  ['nested', ['never', null, true], "'once'"],
  ['random', [0.5, null, async () => 0.5], ''],
  ['clock', [Date, null, { now: () => 0 }], 'setTimer'],
  ['unref', ['yes', 1, null], 'false'],
  ['reportError', [console, null], 'Leave it out'],
  ['name', [5, null, Symbol('name')], 'name of the function'],
];

const CASES = WRONG.flatMap(([option, values, cure]) =>
  values.map((value) => [option, value, cure] as const),
);

describe('an option of a call', () => {
  it.each(CASES)('%s is refused when it is %o', async (option, value, cure) => {
    const fn = vi.fn(FN);
    const options = { [option]: value } as object;

    const calls = [
      () => withRetry(fn, POLICY, options),
      () => retry(fn, POLICY, options),
      () => tryRetry(fn, POLICY, options),
    ];

    for (const call of calls) {
      expect(await problemsOf(call)).toMatchObject([{ path: option, cure: expect.stringContaining(cure) }]);
    }
    expect(fn).not.toHaveBeenCalled();
  });

  it.each(WRONG.map(([option]) => option))('%s may be undefined', async (option) => {
    const options = { [option]: undefined } as object;

    expect(await withRetry(FN, POLICY, options)()).toBe('done');
    expect(await retry(FN, POLICY, options)).toBe('done');
    expect(await tryRetry(FN, POLICY, options)).toMatchObject({ ok: true });
  });

  it.each([
    [{ dealy: '1h' }, 'dealy', 'Known keys are'],
    [{ maxAttempts: 9 }, 'maxAttempts', 'in the policy: withRetry(fn, policy, options)'],
    [{ retryIf: () => true }, 'retryIf', 'in the policy'],
    [{ totalTimeout: '5s' }, 'totalTimeout', 'in the policy'],
    [{ retries: 3 }, 'retries', 'maxAttempts: 4 in the policy'],
    [{ shouldRetry: () => true }, 'shouldRetry', 'retryIf in the policy'],
    [{ onFailedAttempt: () => {} }, 'onFailedAttempt', 'onRetry'],
    [{ toString: 1 }, 'toString', 'Known keys are'],
  ])('that is unknown is refused with its cure: %o', async (options, path, cure) => {
    const problems = await problemsOf(() => withRetry(FN, POLICY, options as object));

    expect(problems).toMatchObject([{ path, cure: expect.stringContaining(cure) }]);
  });

  it('is reported together with all other problems', async () => {
    const policy = { retries: 3, jitter: 'some' } as object;
    const options = { signal: new AbortController(), unref: 'yes', dealy: 1 } as object;

    const problems = await problemsOf(() => withRetry('load' as never, policy, options));

    expect(new Set(problems.map(({ path }) => path))).toEqual(
      new Set(['retries', 'jitter', 'fn', 'signal', 'unref', 'dealy']),
    );
  });

  it.each([null, 5, 'fast', new Map(), () => 1])('must be in an object, which %o is not', async (options) => {
    expect(await problemsOf(() => withRetry(FN, POLICY, options as object))).toHaveLength(1);
    expect(await problemsOf(() => retry(FN, POLICY, options as object))).toMatchObject([{ path: 'options' }]);
    const both = await problemsOf(() => retry(FN, 5 as never, options as object));
    expect(both.map(({ path }) => path)).toEqual(['policy', 'options']);
  });
});

describe('swapped arguments', () => {
  it.each([
    ['withRetry', () => withRetry(POLICY as never, FN as never)],
    ['retry', () => retry(POLICY as never, FN as never)],
    ['tryRetry', () => tryRetry(POLICY as never, FN as never)],
    ['retryIterable', () => retryIterable(POLICY as never, FN as never)],
  ])('of %s are refused with the right order', async (name, call) => {
    const problems = await problemsOf(call);

    expect(problems.find(({ path }) => path === 'fn')?.cure).toContain(`${name}(`);
  });

  it('of withRetry are not read as a policy that is null', async () => {
    expect(await problemsOf(() => withRetry(FN, null as never))).toHaveLength(1);
  });
});

describe('a promise, whose work has begun,', () => {
  it.each([
    ['withRetry', (fn: never) => withRetry(fn)],
    ['retry', (fn: never) => retry(fn)],
    ['tryRetry', (fn: never) => tryRetry(fn)],
  ])('is refused by %s, with what to pass instead', async (_, call) => {
    const cure = 'It runs already: use () => fetch(url).';
    expect(await problemsOf(() => call(Promise.resolve() as never))).toMatchObject([{ path: 'fn', cure }]);
  });
});

describe('a generator, nothing of whose body would run under retry,', () => {
  const GENERATORS = [
    function* (): Generator<number> {
      yield 1;
    },
    async function* (): AsyncGenerator<number> {
      yield 1;
    },
  ];

  it.each([
    ['withRetry', (fn: () => unknown) => withRetry(fn)],
    ['retry', (fn: () => unknown) => retry(fn)],
    ['tryRetry', (fn: () => unknown) => tryRetry(fn)],
  ])('is refused by %s', async (_, call) => {
    for (const fn of GENERATORS) {
      expect(await problemsOf(() => call(fn))).toMatchObject([{ path: 'fn' }]);
    }
  });

  it.each([
    ...(['beforeRetry', 'retryIfResult', 'onAttempt', 'onRetry', 'onGiveUp', 'onNested'] as const),
    ...(['random', 'reportError'] as const),
  ])('is refused as %s', async (option) => {
    for (const given of GENERATORS)
      expect(await problemsOf(() => withRetry(FN, POLICY, { [option]: given }))).toMatchObject([
        { path: option },
      ]);
  });

  it('is what retryIterable takes', async () => {
    for (const fn of GENERATORS) expect(await retryIterable(fn).next()).toEqual({ done: false, value: 1 });
  });
});

describe('when it is refused', () => {
  const wrong = { signal: new AbortController() } as object;

  it('withRetry throws when it wraps', () => {
    expect(() => withRetry(FN, POLICY, wrong)).toThrow(InvalidOptionsError);
  });

  it('retry and tryRetry reject and never throw, like async functions', async () => {
    const [first, second] = [retry(FN, POLICY, wrong), tryRetry(FN, POLICY, wrong)];

    expect(await rejectionOf(first)).toBeInstanceOf(InvalidOptionsError);
    expect(await rejectionOf(second)).toBeInstanceOf(InvalidOptionsError);
  });

  it('retryIterable throws immediately, not at its first item', () => {
    expect(() => retryIterable(async function* () {}, POLICY, wrong)).toThrow(InvalidOptionsError);
    expect(() =>
      retryIterable(async function* () {}, POLICY, { retryIfResult: () => true } as object),
    ).toThrow(/retryIfResult/);
  });
});

describe('a factory', () => {
  it.each([
    [
      'createRetryGroup',
      'maxWaiting',
      (options: unknown) => createRetryGroup(options as object),
      [-1, '5', 1.5],
    ],
    [
      'createMemoryBroker',
      'keepCompleted',
      (options: unknown) => createMemoryBroker(options as object),
      [-1, 0.5, 10],
    ],
    [
      'createMemoryBroker',
      'keepCompleted',
      (options: unknown) => createMemoryBroker(options as object),
      ['all'],
    ],
    [
      'createMemoryBroker',
      'keepKeys',
      (options: unknown) => createMemoryBroker(options as object),
      ['soon', -1],
    ],
    ['createMemoryBroker', 'clock', (options: unknown) => createMemoryBroker(options as object), [Date, {}]],
    [
      'createRetryBudget',
      'kindOf',
      (options: unknown) => createRetryBudget(RATIO, options as object),
      ['timeout'],
    ],
    ['createRetryBudget', 'clock', (options: unknown) => createRetryBudget(RATIO, options as object), [Date]],
  ] as const)(
    '%s refuses a wrong %s, unknown keys and what is no object',
    async (_name, key, create, values) => {
      for (const value of [...values, null, Number.NaN]) {
        expect(await problemsOf(() => create({ [key]: value }))).toMatchObject([{ path: key }]);
      }
      expect(await problemsOf(() => create({ dealy: 1 }))).toMatchObject([{ path: 'dealy' }]);
      for (const options of [null, 5, [], 'text'])
        expect(await problemsOf(() => create(options))).toHaveLength(1);
      expect(() => create({ [key]: undefined })).not.toThrow();
      expect(() => create(undefined)).not.toThrow();
    },
  );

  it('createRetryBudget refuses an async kindOf', async () => {
    const kindOf = async (): Promise<string> => 'default';

    const problems = await problemsOf(() => createRetryBudget(RATIO, { kindOf } as object));

    expect(problems).toMatchObject([{ path: 'kindOf' }]);
  });

  it.each([undefined, null, {}, { type: 'ratio', ratios: 1 }, { type: 'ratio', ratio: '1' }])(
    'createRetryBudget refuses what is no budget: %o',
    async (budget) => {
      expect((await problemsOf(() => createRetryBudget(budget as never))).length).toBeGreaterThan(0);
    },
  );
});

describe('the clock and the random numbers of tests', () => {
  it.each(['1 hour', -1, Number.NaN, null, undefined, 'Infinity', Infinity])(
    'do not advance by %o, which is no length of time',
    async (duration) => {
      const clock = createTestClock();

      const problems = await problemsOf(() => clock.advance(duration as number));

      expect(problems).toMatchObject([{ path: 'duration' }]);
      expect(clock.now()).toBe(0);
    },
  );

  it.each([Number.NaN, '0', null, Infinity])('do not start at %o', async (startAt) => {
    expect(await problemsOf(() => createTestClock(startAt as number))).toMatchObject([{ path: 'startAt' }]);
  });

  it.each([Number.NaN, '7', undefined, 0.5])('refuse the seed %o', async (seed) => {
    expect(await problemsOf(() => seededRandom(seed as number))).toMatchObject([{ path: 'seed' }]);
  });
});

const RATIO = { type: 'ratio' } as const;
