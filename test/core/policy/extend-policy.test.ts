import type { Matcher, PolicyInput } from '@retry/core';
import { decide, definePolicy, extendPolicy, InvalidOptionsError, policyToJSON } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

class ApiError extends Error {}
class ReadTimeout extends Error {}

describe('extendPolicy', () => {
  it('unites the expected errors, and takes all other keys from the patch', () => {
    // seed 004: its own example; one policy with limit 3 and the second gate for both exceptions
    const first = definePolicy({ retryOn: [ApiError], maxAttempts: 6, retryIf: () => true });
    const second = { retryOn: [ReadTimeout], maxAttempts: 4, retryIf: () => false };

    const policy = extendPolicy(first, second);

    expect(settingsOf(policy).retryOn).toEqual([ApiError, ReadTimeout]);
    expect(settingsOf(policy).maxAttempts).toBe(4);
    expect(settingsOf(policy).retryIf?.test).toBe(second.retryIf);
  });

  it('applies the limit and the gate of the patch to the errors of the base', () => {
    // seed 004: the gate of the second line applies to the first line's exception, too
    const first = { retryOn: [ApiError], maxAttempts: 6 };
    const policy = extendPolicy(first, {
      retryOn: [ReadTimeout],
      maxAttempts: 4,
      retryIf: (_, { attempt }) => attempt < 2,
    });
    const typeAfter = (failures: number): string =>
      decide(policy, { failures }, { error: new ApiError() }, { now: 0, random: () => 0 }).type;

    expect([typeAfter(1), typeAfter(2)]).toEqual(['retry', 'fail']);
  });

  it('writes a class once, by identity', () => {
    const [Same, Other] = [class Twin extends Error {}, class Twin extends Error {}];

    const policy = extendPolicy({ retryOn: [Same] }, { retryOn: [Other, Same, Other] });

    expect(settingsOf(policy).retryOn).toEqual([Same, Other]);
  });

  it.each<[string, PolicyInput['retryOn'] & object, PolicyInput['retryOn'] & object]>([
    ['as it is', [{ name: 'A', status: [503] }], [{ name: 'A', status: [503] }]],
    ['with its keys in another order', [{ name: 'A', code: 'E' }], [{ code: 'E', name: 'A' }]],
    ['with a regular expression', [{ message: /x/i }], [{ message: /x/i }]],
    ['with a glob', [{ message: { glob: 'x*' } }], [{ message: { glob: 'x*', except: undefined } }]],
    ['with flags that are dropped', [{ message: /x/g }], [{ message: /x/g }]],
    ['within a cause', [{ cause: { name: 'A', code: 'E' } }], [{ cause: { code: 'E', name: 'A' } }]],
  ])('writes a pattern once, by content: %s', (_name, base, patch) => {
    expect(settingsOf(extendPolicy({ retryOn: base }, { retryOn: patch })).retryOn).toHaveLength(1);
    expect(settingsOf(extendPolicy({ stopOn: base }, { stopOn: patch })).stopOn).toHaveLength(1);
  });

  it.each<[string, PolicyInput['retryOn'] & object, PolicyInput['retryOn'] & object]>([
    ['other values', [{ code: 'E' }], [{ code: 'F' }]],
    ['a regular expression and its text', [{ message: /x/ }], [{ message: '/x/' }]],
    ['the case of a glob', [{ message: { glob: 'x*' } }], [{ message: { glob: 'x*', ignoreCase: true } }]],
    ['other flags', [{ message: /x/ }], [{ message: /x/i }]],
    ['a number and its digits', [{ code: 11 }], [{ code: '11' }]],
    ['a cause', [{ code: 'E' }], [{ cause: { code: 'E' } }]],
    ['predicates that look alike', [() => true], [() => true]],
    ['classes within causes', [{ cause: ApiError }], [{ cause: ReadTimeout }]],
  ])('keeps patterns apart that differ by %s', (_name, base, patch) => {
    expect(settingsOf(extendPolicy({ retryOn: base }, { retryOn: patch })).retryOn).toHaveLength(2);
  });

  it.each<[string, (inner: Matcher) => Matcher]>([
    ['itself', (inner) => inner],
    ['cause', (inner) => ({ cause: inner })],
    ['anywhere', (inner) => ({ anywhere: inner })],
    ['a list of anywhere', (inner) => ({ name: 'Foo', anywhere: [{ code: 'E' }, inner] })],
    ['unless', (inner) => ({ name: 'Foo', unless: inner })],
    ['a list of unless', (inner) => ({ name: 'Foo', unless: [{ code: 'E' }, inner] })],
    ['unless of anywhere of cause', (inner) => ({ cause: { anywhere: [{ code: 'E', unless: inner }] } })],
  ])('compares classes and predicates by identity, wherever they are: %s', (_name, around) => {
    const predicates = [(): boolean => true, (): boolean => true] as const;
    const twins = [class Twin extends Error {}, class Twin extends Error {}] as const;

    for (const [one, other] of [predicates, twins]) {
      for (const key of ['retryOn', 'stopOn'] as const) {
        const policy = extendPolicy({ [key]: [around(one)] }, { [key]: [around(other), around(one)] });

        expect(settingsOf(policy)[key]).toEqual([around(one), around(other)]);
      }
    }
  });

  it('unites stopOn as well, the base first', () => {
    const policy = extendPolicy({ stopOn: [{ code: 'A' }] }, { stopOn: [{ code: 'B' }, { code: 'A' }] });

    expect(settingsOf(policy).stopOn).toEqual([{ code: 'A' }, { code: 'B' }]);
  });

  it.each<PolicyInput>([{}, { retryOn: [ApiError] }, { retryOn: 'nothing' }])(
    'refuses an empty retryOn, as a policy does, whatever the base has: %o',
    (base) => {
      expect(() => extendPolicy(base, { retryOn: [] })).toThrow(
        "retryOn must not be empty, got []. Use 'everything' or 'nothing'.",
      );
    },
  );

  it.each(['retryOn', 'stopOn'])('refuses a list of %s that cannot be read, as definePolicy does', (key) => {
    const list = Object.assign([ApiError], {
      [Symbol.iterator]: () => {
        throw new Error('no iterator');
      },
    });

    expect(() => extendPolicy({}, { [key]: list })).toThrow(InvalidOptionsError);
    expect(() => extendPolicy({}, { [key]: list })).toThrow('Reading it threw Error: no iterator');
    expect(() => definePolicy({ [key]: list })).toThrow('Reading it threw Error: no iterator');
  });

  it('adds nothing for an empty stopOn', () => {
    const policy = extendPolicy({ stopOn: [{ code: 'A' }] }, { stopOn: [] });

    expect(settingsOf(policy).stopOn).toEqual([{ code: 'A' }]);
  });

  it("adds nothing from a base with retryOn: 'nothing'", () => {
    expect(settingsOf(extendPolicy({ retryOn: 'nothing' }, { retryOn: [ApiError] })).retryOn).toEqual([
      ApiError,
    ]);
  });

  it("replaces a list by 'nothing'", () => {
    expect(settingsOf(extendPolicy({ retryOn: [ApiError] }, { retryOn: 'nothing' })).retryOn).toBe('nothing');
  });

  it('leaves the base as it was', () => {
    const base = definePolicy({ maxAttempts: 6, retryOn: [ApiError], stopOn: [{ code: 'A' }] });

    extendPolicy(base, { maxAttempts: 4, retryOn: [ReadTimeout], stopOn: [{ code: 'B' }] });

    expect(base).toMatchObject({ maxAttempts: 6, retryOn: [ApiError], stopOn: [{ code: 'A' }] });
  });

  it('does not write a key that is undefined in the patch', () => {
    const patch = { maxAttempts: undefined, retryOn: undefined } as unknown as PolicyInput; // JavaScript callers

    const policy = extendPolicy({ maxAttempts: 6, retryOn: [ApiError] }, patch);

    expect(policy).toMatchObject({ maxAttempts: 6, retryOn: [ApiError] });
  });

  it('does not write defaults', () => {
    const policy = extendPolicy({ totalTimeout: '1m' }, { maxAttempts: 4 });

    expect(policyToJSON(policy)).toEqual({ totalTimeout: 60_000, maxAttempts: 4 });
  });
});

describe('a default that was not written', () => {
  it('lets the cap grow with a new base', () => {
    const base = definePolicy();

    expect(settingsOf(base).maxDelayMs).toBe(20_000);
    expect(settingsOf(extendPolicy(base, { backoff: { type: 'constant', base: '30s' } })).maxDelayMs).toBe(
      30_000,
    );
  });

  it('is no jitter for a backoff that is random already', () => {
    const policy = extendPolicy(definePolicy(), { backoff: { type: 'decorrelated', base: '1s' } });

    expect(settingsOf(policy).jitter).toBe('none');
  });

  it('stays as it is if it was written', () => {
    const base = definePolicy({ maxDelay: '20s', jitter: 'full' });

    const policy = extendPolicy(base, { backoff: { type: 'decorrelated', base: '30s' } });

    expect(policy).toMatchObject({ maxDelayMs: 20_000, jitter: 'full' });
  });
});

describe('a named strategy or gate', () => {
  const registry = { strategies: { patient: () => 60_000 }, gates: { 'office-hours': () => true } };
  const named = { backoff: { type: 'custom', strategy: 'patient' }, retryIf: 'office-hours' } as const;

  it('survives without its registry', () => {
    const policy = extendPolicy(definePolicy(named, registry), { maxAttempts: 4 });

    expect(settingsOf(policy).backoff).toEqual({
      type: 'custom',
      name: 'patient',
      next: registry.strategies.patient,
      baseMs: 0,
    });
    expect(settingsOf(policy).retryIf).toEqual({
      name: 'office-hours',
      test: registry.gates['office-hours'],
    });
  });

  it('may come with the patch', () => {
    const policy = extendPolicy(definePolicy(), named, registry);

    expect(settingsOf(policy).retryIf?.test).toBe(registry.gates['office-hours']);
  });

  it('is replaced by one of the same name in the new registry', () => {
    const patient = (): number => 5;

    const policy = extendPolicy(definePolicy(named, registry), {}, { strategies: { patient } });

    expect(settingsOf(policy).backoff).toMatchObject({ name: 'patient', next: patient });
  });
});

describe('an invalid result', () => {
  it.each([null, undefined, 5, 'patch', [['maxAttempts', 2]], new Map([['maxAttempts', 2]])])(
    'says what to write instead of the patch %o',
    (patch) => {
      const extend = (): unknown => extendPolicy({}, patch as never); // what JavaScript callers can write

      expect(extend).toThrow(
        expect.objectContaining({
          problems: [
            { path: '', value: patch, message: 'must be an object', cure: 'Use {} to change nothing.' },
          ],
        }),
      );
    },
  );

  it.each<[string, PolicyInput]>([
    ['no strategy', {}],
    ['a strategy without a name', { backoff: { type: 'custom', strategy: () => 1 } }],
  ])('names no strategy where the base has %s', (_name, base) => {
    const patch: PolicyInput = { backoff: { type: 'custom', strategy: 'patient' } };

    expect(() => extendPolicy(base, patch)).toThrow('it has none.');
  });

  it.each<[string, unknown]>([
    ['an unknown key', { retries: 3 }],
    ['null', { maxDelay: null }],
    ['limits that no longer fit the base', { maxDelay: '1s' }],
    ['a list that is none', { retryOn: { code: 'E' } }],
    ['a patch that is no object', null],
    ['a patch that is missing', undefined],
  ])('is refused with a InvalidOptionsError: %s', (_name, patch) => {
    expect(() => extendPolicy({ minDelay: '2s' }, patch as PolicyInput)).toThrow(InvalidOptionsError);
  });
});
