import { definePolicy, InvalidOptionsError, isSerializable, parsePolicy, policyToJSON } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

const registry = { strategies: { patient: () => 60_000 }, gates: { 'office-hours': () => true } };

describe('policyToJSON', () => {
  it('writes only what was written, in milliseconds', () => {
    const policy = definePolicy({ maxAttempts: 5, minDelay: '1.5s', retryAfter: { mode: 'replace' } });

    expect(policyToJSON(policy)).toEqual({
      maxAttempts: 5,
      minDelay: 1_500,
      retryAfter: { max: 60_000, mode: 'replace', beyondMax: 'stop', jitter: { up: 0.1 } },
    });
  });

  it('writes no keys for a policy of defaults', () => {
    expect(policyToJSON(definePolicy())).toEqual({});
  });

  it('writes a default that was set explicitly', () => {
    expect(policyToJSON(definePolicy({ maxAttempts: 3 }))).toEqual({ maxAttempts: 3 });
  });

  it('writes Infinity as text, so that JSON can hold it', () => {
    const policy = definePolicy({
      maxAttempts: Infinity,
      maxDelay: Infinity,
      attemptTimeout: 'Infinity',
      totalTimeout: Infinity,
      retryAfter: { max: Infinity },
    });

    expect(policyToJSON(policy)).toEqual({
      maxAttempts: 'Infinity',
      maxDelay: 'Infinity',
      attemptTimeout: 'Infinity',
      totalTimeout: 'Infinity',
      retryAfter: { max: 'Infinity', mode: 'floor', beyondMax: 'stop', jitter: { up: 0.1 } },
    });
  });

  it('writes messages as they are, also those of a cause', () => {
    const message = [
      'a*b',
      { glob: 'timed out*', except: 'timed out by the user*', ignoreCase: true },
    ] as const;
    const policy = definePolicy({ retryOn: [{ message: 'a*b' }, { cause: { message } }] });

    expect(policyToJSON(policy).retryOn).toEqual([{ message: 'a*b' }, { cause: { message } }]);
  });

  it('writes a strategy and a gate by their names', () => {
    const input = {
      backoff: { type: 'custom', strategy: 'patient', base: '1s' },
      retryIf: 'office-hours',
    } as const;
    const policy = definePolicy(input, registry);

    expect(policyToJSON(policy)).toEqual({
      backoff: { type: 'custom', strategy: 'patient', base: 1_000 },
      retryIf: 'office-hours',
    });
  });

  it('lists the path of every value that JSON cannot hold', () => {
    const [strategy, retryIf, isFlaky] = [() => 1, () => true, () => false];
    const policy = definePolicy({
      backoff: { type: 'custom', strategy },
      retryIf,
      retryOn: [{ name: 'A' }, TypeError, { cause: { cause: RangeError } }, { message: ['x', /y/] }],
      stopOn: [isFlaky, { anywhere: [{ code: 'E' }, RangeError] }, { code: 'E', unless: { message: /y/ } }],
    });
    const message = 'cannot be written as JSON';
    const nameIt = 'Name it: put it in a registry and write its name here.';
    const describeIt = "Describe it: { name: 'TimeoutError' }.";
    const useGlob = "Use text, or a glob: { message: { glob: 'timed out*', ignoreCase: true } }.";

    const write = (): unknown => policyToJSON(policy);

    expect(write).toThrow(InvalidOptionsError);
    expect(write).toThrow(
      expect.objectContaining({
        problems: [
          { path: 'backoff.strategy', value: strategy, message, cure: nameIt },
          { path: 'retryIf', value: retryIf, message, cure: nameIt },
          { path: 'retryOn[1]', value: TypeError, message, cure: describeIt },
          { path: 'retryOn[2]', value: { cause: { cause: RangeError } }, message, cure: describeIt },
          { path: 'retryOn[3]', value: { message: ['x', /y/] }, message, cure: useGlob },
          { path: 'stopOn[0]', value: isFlaky, message, cure: describeIt },
          {
            path: 'stopOn[1]',
            value: { anywhere: [{ code: 'E' }, RangeError] },
            message,
            cure: describeIt,
          },
          { path: 'stopOn[2]', value: { code: 'E', unless: { message: /y/ } }, message, cure: useGlob },
        ],
      }),
    );
  });

  it('leaves a strategy that is an object with next behaving as it did', () => {
    const step = { baseMs: 250, next: (retry: number) => step.baseMs * retry };
    const withObject = { strategies: { step } };
    const policy = definePolicy({ backoff: { type: 'custom', strategy: 'step' } }, withObject);

    const { backoff } = settingsOf(parsePolicy(policyToJSON(policy), withObject));

    expect(backoff.type === 'custom' && backoff.next(3, { random: () => 0, baseMs: 0 })).toBe(750);
  });
});

describe('isSerializable', () => {
  it.each([
    ['nothing written', {}],
    ['patterns', { retryOn: [{ code: 'E', cause: { message: { glob: 'x*' } } }], stopOn: [{ status: 400 }] }],
    ['an expected nothing', { retryOn: 'nothing' }],
    ['names', { backoff: { type: 'custom', strategy: 'patient' }, retryIf: 'office-hours' }],
  ] as const)('is true for %s', (_name, input) => {
    expect(isSerializable(definePolicy(input, registry))).toBe(true);
  });

  it.each([
    ['a class', { retryOn: [TypeError] }],
    ['a predicate', { stopOn: [() => true] }],
    ['a regular expression', { retryOn: [{ message: /x/ }] }],
    ['a regular expression of a cause', { stopOn: [{ cause: { message: ['x', /x/] } }] }],
    ['a class as a cause', { retryOn: [{ cause: { cause: TypeError } }] }],
    ['a strategy without a name', { backoff: { type: 'custom', strategy: () => 1 } }],
    ['a gate without a name', { retryIf: () => true }],
  ] as const)('is false for %s', (_name, input) => {
    expect(isSerializable(definePolicy(input))).toBe(false);
  });
});
