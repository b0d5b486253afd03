import { definePolicy, InvalidOptionsError, type Problem } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

const DURATION_CURE = "Use milliseconds or text like '500ms', '2s', '5m'.";

describe('definePolicy', () => {
  it.each([null, 'exponential', [], () => 1, true])('refuses %o as a whole', (input) => {
    expect(problemsOf(input)).toEqual([
      {
        path: '',
        value: input,
        message: 'must be an object',
        cure:
          'Its keys are maxAttempts, initialDelay, backoff, delays, immediateFirst, jitter, minDelay, maxDelay, capAt, granularity, ' +
          'retryOn, stopOn, idempotent, retryIf, attemptTimeout, totalTimeout, retryTimeouts, retryAfter, retryable.',
      },
    ]);
  });

  it('says of a number, which other functions take for the attempts, how it is written', () => {
    expect(problemsOf(3)).toMatchObject([
      { cure: expect.stringMatching(/^Use { maxAttempts: 3 }\. Its keys/) },
    ]);
    expect(problemsOf(0)).toMatchObject([{ cure: expect.stringMatching(/^Its keys/) }]);
  });

  it('throws an InvalidOptionsError whose message names path, value and cure', () => {
    const define = () => definePolicy({ maxAttempts: 0 });

    expect(define).toThrow(InvalidOptionsError);
    expect(define).toThrow(
      'maxAttempts must be an integer ≥ 1 or Infinity, got 0. It counts the first attempt: use 1 to run once.',
    );
  });

  it.each([
    ['minDelay', { minDelay: 'soon' }, 'must be a finite duration ≥ 0', DURATION_CURE],
    ['minDelay', { minDelay: Infinity }, 'must be a finite duration ≥ 0', DURATION_CURE],
    ['maxDelay', { maxDelay: -1 }, 'must be a duration ≥ 0', DURATION_CURE],
    ['granularity', { granularity: 0.5 }, 'must be a whole number of milliseconds ≥ 0', DURATION_CURE],
    ['attemptTimeout', { attemptTimeout: 0 }, 'must be a duration > 0', DURATION_CURE],
    ['totalTimeout', { totalTimeout: '0s' }, 'must be a duration > 0', DURATION_CURE],
    ['retryAfter.max', { retryAfter: { max: -1 } }, 'must be a duration ≥ 0', DURATION_CURE],
    [
      'retryAfter.mode',
      { retryAfter: { mode: 'cap' } },
      'is not one of the choices',
      'Use one of floor, replace, ignore.',
    ],
    [
      'jitter',
      { jitter: 'half' },
      'is not one of the choices',
      "Use one of none, full, equal, bounded, { proportional: 0.1 }, { down: 0.3 }, { up: 0.2 }, { plus: '1s' }.",
    ],
    ['jitter', { jitter: true }, 'is not one of the choices', "Use 'full'."],
    ['jitter', { jitter: false }, 'is not one of the choices', "Use 'none'."],
    ['jitter', { jitter: 0.2 }, 'is not one of the choices', 'Use { proportional: 0.2 }.'],
    [
      'jitter',
      { jitter: 'decorrelated' },
      'is not one of the choices',
      "Use backoff: { type: 'decorrelated', base: '1s' }.",
    ],
    [
      'jitter.proportional',
      { jitter: { proportional: 2 } },
      'must be a number from 0 to 1',
      'Use { proportional: 0.1 } for ± 10 %.',
    ],
    [
      'jitter.proportional',
      { jitter: { proportional: -0.1 } },
      'must be a number from 0 to 1',
      'Use { proportional: 0.1 } for ± 10 %.',
    ],
    [
      'capAt',
      { capAt: 'before' },
      'is not one of the choices',
      'Use one of before-jitter, after-jitter, ignores-jitter.',
    ],
    ['retryable', { retryable: 'yes' }, 'is not one of the choices', 'Use one of true, false.'],
    [
      'retryIf',
      { retryIf: {} },
      'must be a function, an object with test, or a name in the registry',
      'Pass { gates: { name: (error, { attempt }) => boolean } } for names.',
    ],
    [
      'retryIf',
      { retryIf: /timed out/i },
      'must be a function, an object with test, or a name in the registry',
      'Use retryOn: [{ message: /timed out/i }].',
    ],
    ['retryIf', { retryIf: TypeError }, 'must not be a class', 'Use retryOn: [TypeError].'],
    [
      'minDelay',
      { minDelay: '2s', maxDelay: '1s' },
      'must be at most maxDelay (1000 ms)',
      'Raise maxDelay or lower minDelay.',
    ],
    [
      'granularity',
      { minDelay: 1_100, maxDelay: 1_900, granularity: '1s' },
      'must have a multiple from minDelay to maxDelay (1900 ms)',
      'Make one of them a whole multiple of granularity.',
    ],
  ])('reports %s of %o and how to cure it', (path, input, message, cure) => {
    expect(problemsOf(input)).toMatchObject([{ path, message, cure }]);
  });

  it.each(['none', 'constant', 'linear', 'exponential', 'fibonacci', 'decorrelated', 'list', 'custom'])(
    'says how to write the backoff that is only named %s',
    (type) => {
      const [problem, ...others] = problemsOf({ backoff: type });

      expect(problem).toMatchObject({ path: 'backoff', value: type, message: 'must be an object' });
      expect(problem?.cure).toContain(`backoff: { type: '${type}'`);
      expect(others).toEqual([]);
    },
  );

  it('accepts any minDelay up to the default cap, which a longer base raises', () => {
    const policy = definePolicy({ backoff: { type: 'fibonacci', base: 1e300 }, minDelay: 1e16 });

    expect(policy).toMatchObject({ minDelayMs: 1e16, maxDelayMs: 1e300 });
  });

  it('accepts limits with a multiple of the granularity between them', () => {
    const policy = definePolicy({ minDelay: 1_100, maxDelay: 2_900, granularity: '1s' });

    expect(settingsOf(policy).granularityMs).toBe(1_000);
  });

  it('reports every problem in one error', () => {
    const problems = problemsOf({
      maxAttempts: 0,
      backoff: { type: 'linear', base: 'soon', increment: -1, factor: 2 },
      jitter: 'half',
      capAt: 'never',
      retryOn: ['Error', { code: {} }, { cause: { status: 'x' } }],
      retryAfter: { max: 'x', mode: 'y' },
      retries: 3,
    });

    expect(problems.map(({ path }) => path)).toEqual([
      'retries',
      'backoff.factor',
      'backoff.base',
      'backoff.increment',
      'maxAttempts',
      'jitter',
      'capAt',
      'retryOn[0]',
      'retryOn[1].code',
      'retryOn[2].cause.status',
      'retryAfter.max',
      'retryAfter.mode',
    ]);
  });

  it.each([
    ['maxAttempts', { maxAttempts: null }],
    ['backoff.factor', { backoff: { type: 'exponential', base: 1, factor: null } }],
    ['retryAfter', { retryAfter: null }],
    ['minDelay', { minDelay: null }],
    ['retryIf', { retryIf: null }],
  ])('does not read null as an absent %s', (path, input) => {
    expect(problemsOf(input)).toMatchObject([{ path, value: null }]);
  });

  it('reports an own key named __proto__', () => {
    expect(problemsOf(JSON.parse('{"__proto__": {"maxAttempts": 9}}'))).toMatchObject([
      { path: '__proto__' },
    ]);
  });

  it('reads inherited options', () => {
    class Defaults {
      readonly backoff = { type: 'none' as const };
      get maxAttempts(): number {
        return 9;
      }
    }

    expect(definePolicy(Object.create({ maxAttempts: 9 }))).toMatchObject({ maxAttempts: 9 });
    expect(definePolicy(new Defaults())).toMatchObject({ maxAttempts: 9, backoff: { type: 'none' } });
    expect(problemsOf(Object.create({ maxAtempts: 9 }))).toMatchObject([{ path: 'maxAtempts' }]);
  });

  it('does not read inherited properties of every object', () => {
    Object.defineProperty(Object.prototype, 'maxAttempts', {
      value: 9,
      configurable: true,
      enumerable: true,
      writable: true,
    });
    try {
      expect(definePolicy({})).toMatchObject({ maxAttempts: 3 });
      expect(definePolicy(new (class {})())).toMatchObject({ maxAttempts: 3 });
    } finally {
      Reflect.deleteProperty(Object.prototype, 'maxAttempts');
    }
  });

  it('reports only maxDelay if it is not a duration', () => {
    expect(problemsOf({ minDelay: '30s', maxDelay: 'soon' })).toMatchObject([{ path: 'maxDelay' }]);
  });
});

function problemsOf(input: unknown): readonly Problem[] {
  try {
    // The types forbid the input of these tests.
    definePolicy(input as never);
    return [];
  } catch (thrown) {
    if (thrown instanceof InvalidOptionsError) return thrown.problems;
    throw thrown;
  }
}
