import { type DelayStrategy, definePolicy, type Gate, isPolicy } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

describe('definePolicy', () => {
  it('fills in the safe defaults: 3 attempts, exponential 100 ms × 2 up to 20 s, full jitter', () => {
    expect(definePolicy()).toEqual({
      maxAttempts: 3,
      initialDelayMs: 0,
      backoff: { type: 'exponential', baseMs: 100, factor: 2 },
      jitter: 'full',
      minDelayMs: 0,
      maxDelayMs: 20_000,
      capAt: 'before-jitter',
      granularityMs: 0,
      retryOn: 'everything',
      stopOn: [],
      idempotent: true,
      attemptTimeoutMs: Infinity,
      totalTimeoutMs: Infinity,
      retryTimeouts: true,
      retryAfter: { maxMs: 60_000, mode: 'floor', beyondMax: 'stop', jitter: { up: 0.1 } },
      delays: [],
      immediateFirst: false,
      retryable: true,
    });
  });

  it('keeps what is written, durations in milliseconds', () => {
    const policy = definePolicy({
      maxAttempts: 5,
      initialDelay: '2s',
      backoff: { type: 'linear', base: '1s', increment: '500ms' },
      jitter: { proportional: 0.1 },
      minDelay: '2s',
      maxDelay: '5m',
      capAt: 'after-jitter',
      granularity: '1s',
      retryOn: 'nothing',
      stopOn: [TypeError],
      idempotent: true,
      attemptTimeout: '10s',
      totalTimeout: '2m',
      retryTimeouts: false,
      retryAfter: { max: '1h', mode: 'replace' },
      retryable: false,
    });

    expect(policy).toEqual({
      maxAttempts: 5,
      initialDelayMs: 2_000,
      backoff: { type: 'linear', baseMs: 1_000, incrementMs: 500 },
      jitter: { proportional: 0.1 },
      minDelayMs: 2_000,
      maxDelayMs: 300_000,
      capAt: 'after-jitter',
      granularityMs: 1_000,
      retryOn: 'nothing',
      stopOn: [TypeError],
      idempotent: true,
      attemptTimeoutMs: 10_000,
      totalTimeoutMs: 120_000,
      retryTimeouts: false,
      retryAfter: { maxMs: 3_600_000, mode: 'replace', beyondMax: 'stop', jitter: { up: 0.1 } },
      delays: [],
      immediateFirst: false,
      retryable: false,
    });
  });

  it('reads an undefined option as an absent one', () => {
    // What JavaScript callers, and TypeScript ones without exactOptionalPropertyTypes, can write.
    const input = { maxAttempts: undefined, backoff: undefined, retryIf: undefined, retryAfter: undefined };

    expect(definePolicy(input as never)).toEqual(definePolicy());
  });

  it.each([Infinity, 'Infinity'] as const)('has no limit of attempts when %o is written', (maxAttempts) => {
    expect(settingsOf(definePolicy({ maxAttempts })).maxAttempts).toBe(Infinity);
  });

  it.each(['none', 'decorrelated'] as const)('adds no jitter of its own to %s backoff', (type) => {
    const backoff = type === 'none' ? { type } : { type, base: 1 };

    expect(settingsOf(definePolicy({ backoff })).jitter).toBe('none');
  });

  it('never limits a written base by the default cap', () => {
    const cap = (backoff: object) => settingsOf(definePolicy({ backoff: backoff as never })).maxDelayMs;

    expect(cap({ type: 'constant', base: '30s' })).toBe(30_000);
    expect(cap({ type: 'custom', strategy: () => 1, base: '1h' })).toBe(3_600_000);
    expect(cap({ type: 'list', delays: ['1s', '5m', '10s'] })).toBe(300_000);
    expect(cap({ type: 'constant', base: '1s' })).toBe(20_000);
    expect(cap({ type: 'none' })).toBe(20_000);
  });

  it('returns a defined policy as it is', () => {
    const policy = definePolicy({ maxAttempts: 7 });

    expect(definePolicy(policy)).toBe(policy);
  });

  it.each([
    ['the default policy', {}],
    ['a list backoff', { backoff: { type: 'list', delays: ['1s', '2s'] } }],
    ['matchers', { retryOn: [{ code: ['A'], cause: { status: [503] } }], stopOn: [{ name: 'Stop' }] }],
    ['a gate and a proportional jitter', { retryIf: () => true, jitter: { proportional: 0.5 } }],
  ] as const)('freezes %s all the way down', (_name, input) => {
    expect(unfrozenIn(definePolicy(input), 'policy')).toEqual([]);
  });

  it('does not freeze, keep or change what it was given', () => {
    const delays = [1, 2];
    const codes = ['A'];
    const input = { backoff: { type: 'list', delays }, retryOn: [{ code: codes }] } as const;

    const policy = definePolicy(input);
    delays.push(3);
    codes.push('B');

    expect(settingsOf(policy).backoff).toEqual({ type: 'list', delaysMs: [1, 2] });
    expect(settingsOf(policy).retryOn).toEqual([{ code: ['A'] }]);
  });
});

describe('definePolicy with a registry', () => {
  it.each([[[() => true]], [new Map([['never', () => false]])], [/never/]])(
    'finds no names in %o',
    (names: object) => {
      const message = 'must be an object, got';

      expect(() => definePolicy({}, { gates: names as never })).toThrow(`registry.gates ${message}`);
      expect(() => definePolicy({}, { strategies: names as never })).toThrow(
        `registry.strategies ${message}`,
      );
    },
  );

  const twice: DelayStrategy = (retry) => retry * 2;
  const never: Gate = () => false;

  it('finds strategies and gates by name and keeps the name', () => {
    const policy = definePolicy(
      { backoff: { type: 'custom', strategy: 'twice', base: '1s' }, retryIf: 'never' },
      { strategies: { twice }, gates: { never } },
    );

    expect(settingsOf(policy).backoff).toEqual({ type: 'custom', name: 'twice', next: twice, baseMs: 1_000 });
    expect(settingsOf(policy).retryIf).toEqual({ name: 'never', test: never });
  });

  it('accepts the functions themselves, without a name', () => {
    const policy = definePolicy({ backoff: { type: 'custom', strategy: twice }, retryIf: never });

    expect(settingsOf(policy).backoff).toEqual({ type: 'custom', next: twice, baseMs: 0 });
    expect(settingsOf(policy).retryIf).toEqual({ test: never });
  });

  it('calls the method of an object on that object', () => {
    const strategy = { stepMs: 7, next: (retry: number) => strategy.stepMs * retry };
    class Limit {
      readonly most = 2;
      test(_error: unknown, { attempt }: { readonly attempt: number }): boolean {
        return attempt < this.most;
      }
    }

    const policy = definePolicy({ backoff: { type: 'custom', strategy }, retryIf: new Limit() });

    const { backoff } = settingsOf(policy);
    expect(backoff.type === 'custom' && backoff.next(3, {} as never)).toBe(21);
    expect(settingsOf(policy).retryIf?.test(undefined, { attempt: 1 })).toBe(true);
    expect(settingsOf(policy).retryIf?.test(undefined, { attempt: 2 })).toBe(false);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'absent'])(
    'does not find %s',
    (name) => {
      const withStrategy = () =>
        definePolicy({ backoff: { type: 'custom', strategy: name } }, { strategies: { twice } });
      const withGate = () => definePolicy({ retryIf: name }, { gates: { never } });

      expect(withStrategy).toThrow('backoff.strategy is not in the registry');
      expect(withStrategy).toThrow('it has twice.');
      expect(withGate).toThrow('retryIf must be a function, an object with test, or a name in the registry');
    },
  );
});

describe('isPolicy', () => {
  it('recognises a defined policy and nothing else', () => {
    const policy = definePolicy();

    expect(isPolicy(policy)).toBe(true);
    expect(isPolicy({ ...policy })).toBe(false);
    expect(isPolicy({})).toBe(false);
    expect(isPolicy(null)).toBe(false);
    expect(isPolicy('policy')).toBe(false);
  });

  it('carries the mark @retry/policy, by which other copies and versions recognise it', () => {
    expect(Symbol.for('@retry/policy') in definePolicy()).toBe(true);
  });

  it('has a brand that is not enumerable', () => {
    expect(Object.getOwnPropertySymbols({ ...definePolicy() })).toEqual([]);
  });
});

/** Paths of plain objects and arrays that may still be changed. */
function unfrozenIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return [];
  const inner = Object.entries(value).flatMap(([key, entry]) => unfrozenIn(entry, `${path}.${key}`));
  return Object.isFrozen(value) ? inner : [path, ...inner];
}
