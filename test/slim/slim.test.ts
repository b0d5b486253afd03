import { setImmediate } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { definePolicy, httpTransient, transientNetwork } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { basePolicy, retry, retryInfo, withRetry } from '@retry/inprocess/slim';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { policyInputs } from '../support/arbitraries.ts';

describe('basePolicy', () => {
  it('equals the policy of definePolicy()', () => {
    expect(basePolicy).toEqual({ ...definePolicy() });
  });
});

describe('the slim entry', () => {
  it('accepts a policy of plain data', async () => {
    const policy = { ...basePolicy, maxAttempts: 2, backoff: { type: 'none' } } as const;
    const error = new Error('boom');

    const thrown = await withRetry(() => Promise.reject(error), policy)().catch((reason: unknown) => reason);

    expect(thrown).toBe(error);
    expect(retryInfo(error)).toMatchObject({ attempts: 2, reason: 'exhausted' });
  });

  it('accepts no text as a duration, and no option for nested calls', () => {
    const calls = (): void => {
      // @ts-expect-error: milliseconds only
      void retry(() => 1, { ...basePolicy, totalTimeoutMs: '2s' });
      // @ts-expect-error: parent is an option of the main entry
      void retry((parent) => retry(() => 1, basePolicy, { parent }), basePolicy);
    };

    expectTypeOf(calls).toBeFunction();
  });

  it('passes the attempt its context', async () => {
    const seen = await retry(async ({ attempt, isLast, signal }) => {
      await setImmediate();
      return [attempt, isLast, signal.aborted];
    }, basePolicy);

    expect(seen).toEqual([1, false, false]);
  });
});

describe('wrong input of the slim entry', () => {
  const fn = async (): Promise<string> => 'done';

  it.each([
    ['signal', new AbortController()],
    ['retryIfResult', true],
    ['retryIfResult', async () => true],
    ['budget', { type: 'ratio' }],
    ['group', {}],
    ['clock', Date],
    ['unref', 'yes'],
    ['onRetry', 'log'],
    ['beforeRetry', null],
    ['name', 5],
    ['parent', {}],
    ['maxAttempts', 9],
    ['dealy', 1],
    ['toString', 1],
  ])('is refused in the option %s: %o', async (path, value) => {
    const options = { [path]: value } as object;

    expect(() => withRetry(fn, basePolicy, options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        problems: [expect.objectContaining({ path, value })],
      }),
    );
    await expect(retry(fn, basePolicy, options)).rejects.toMatchObject({ problems: [{ path }] });
  });

  it.each([
    ['maxAttempts', '5'],
    ['maxAttempts', Number.NaN],
    ['attemptTimeoutMs', -1],
    ['totalTimeoutMs', '2s'],
    ['totalTimeout', '2s'],
    ['retries', 3],
    ['retryOn', 'everybody'],
    ['jitter', null],
    ['backoff', undefined],
  ])('is refused in the key %s of a policy: %o', async (path, value) => {
    const policy = { ...basePolicy, [path]: value } as typeof basePolicy;

    expect(() => withRetry(fn, policy)).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ path })] }),
    );
  });

  it.each([
    ['backoff', { type: 'constant', base: '1s' }],
    ['backoff', { type: 'constant', baseMs: '1s' }],
    ['backoff', { type: 'constant' }],
    ['backoff', { type: 'constant', baseMs: 5, factor: 2 }],
    ['backoff', { type: 'constant', baseMs: Number.NaN }],
    ['backoff', { type: 'linear', baseMs: 5 }],
    ['backoff', { type: 'exponential', baseMs: 5, factor: -1 }],
    ['backoff', { type: 'quadratic', baseMs: 5 }],
    ['backoff', { type: 'toString', baseMs: 5 }],
    ['backoff', { type: 'list', delays: ['1s'] }],
    ['backoff', { type: 'list', delaysMs: ['1s'] }],
    ['backoff', { type: 'list', delaysMs: 5 }],
    ['backoff', { type: 'list', delaysMs: [] }],
    ['backoff', { type: 'custom', strategy: () => 5, baseMs: 5 }],
    ['backoff', { type: 'custom', next: 'mine', baseMs: 5 }],
    ['backoff', { type: 'custom', next: async () => 5, baseMs: 5 }],
    ['backoff', 'exponential'],
    ['backoff', null],
    ['backoff', []],
    ['jitter', 'ful'],
    ['jitter', true],
    ['jitter', {}],
    ['jitter', { plusMinus: '20ms' }],
    ['jitter', { proportional: '10%' }],
    ['jitter', { proportional: 0.1, down: 0.1 }],
    ['jitter', []],
    ['capAt', 'before'],
    ['retryAfter', { max: '1m', mode: 'floor' }],
    ['retryAfter', { maxMs: '1m', mode: 'floor' }],
    ['retryAfter', { maxMs: 5, mode: 'ceiling' }],
    ['retryAfter', { maxMs: 5 }],
    ['retryAfter', null],
    ['retryOn', ['ECONNRESET']],
    ['retryOn', []],
    ['retryOn', [/reset/]],
    ['retryOn', [null]],
    ['retryOn', [{}]],
    ['retryOn', [[]]],
    ['retryOn', [{ codes: ['ECONNRESET'] }]],
    ['retryOn', [{ code: /ECONN/ }]],
    ['retryOn', [{ status: '503' }]],
    ['retryOn', [{ status: ['503'] }]],
    ['retryOn', [{ name: 5 }]],
    ['retryOn', [{ message: { pattern: 'reset' } }]],
    ['retryOn', [{ message: /reset/g }]],
    ['retryOn', [{ retryAfter: false }]],
    ['retryOn', [{ cause: 'ECONNRESET' }]],
    ['retryOn', [async () => true]],
    ['retryOn', 'nothing at all'],
    ['stopOn', { name: 'TypeError' }],
    ['stopOn', 'nothing'],
    ['stopOn', [TypeError, 'RangeError']],
    ['stopOn', new Array(2)],
    ['stopOn', [{ name: new Array(2) }]],
    ['retryIf', 'gate'],
    ['retryIf', () => true],
    ['retryIf', { test: 'yes' }],
    ['retryIf', { test: async () => true }],
    ['retryTimeouts', 'yes'],
    ['retryable', 1],
  ])('is refused inside the key %s of a policy: %j', async (path, value) => {
    const policy = { ...basePolicy, [path]: value } as never;

    expect(() => withRetry(fn, policy)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        message: expect.stringContaining('Use definePolicy(…)'),
        problems: [expect.objectContaining({ path, value })],
      }),
    );
    await expect(retry(fn, policy)).rejects.toMatchObject({ problems: [{ path }] });
  });

  it('is refused where it contains itself, or cannot be read', () => {
    const endless: { cause?: object } = {};
    endless.cause = endless;
    const hostile = {
      get name(): string {
        throw new Error('unreadable');
      },
    };

    for (const pattern of [endless, hostile]) {
      expect(() => withRetry(fn, { ...basePolicy, stopOn: [pattern] } as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS' }),
      );
    }
  });

  it('is no policy that definePolicy makes, spread or not', () => {
    fc.assert(
      fc.property(policyInputs, (input) => {
        const made = definePolicy(input);

        expect(() => withRetry(fn, made)).not.toThrow();
        expect(() => withRetry(fn, { ...settingsOf(made) })).not.toThrow();
      }),
    );
  });

  it.each([
    { backoff: { type: 'custom', name: 'mine', next: () => 5, create: () => () => 5, baseMs: 5 } },
    { backoff: { type: 'custom', next: () => 5, baseMs: 0 } },
    { backoff: { type: 'list', delaysMs: [0, 5] } },
    { jitter: { plusMinusMs: 5 } },
    { retryOn: [TypeError, () => true, ...transientNetwork, ...httpTransient] },
    { stopOn: [{ name: ['A', 'B'], code: ['X*', 5], status: 503, message: 'x', cause: { cause: Error } }] },
    { stopOn: [{ message: runInNewContext('/x/i') }] },
    { retryIf: { name: 'gate', test: () => true } },
    { retryIf: undefined },
  ])('is no key of plain data that the policy type has: %o', async (keys) => {
    expect(await withRetry(fn, { ...basePolicy, ...keys } as never)()).toBe('done');
  });

  it.each([null, undefined, 5, {}, fn])('is refused as the policy %o', (policy) => {
    expect(() => withRetry(fn, policy as never)).toThrow(/maxAttempts/);
  });

  it('is refused where a function or an object is required', () => {
    expect(() => withRetry(basePolicy as never, fn as never)).toThrow(/fn/);
    expect(() => withRetry(fn, basePolicy, 5 as never)).toThrow(/options/);
    expect(() => withRetry(fn, basePolicy, null as never)).toThrow(/options/);
  });

  it('does not include undefined, and what definePolicy returns', async () => {
    const full = definePolicy({ retryOn: 'nothing', jitter: { proportional: 0.1 }, retryIf: () => true });
    const options = { signal: new AbortController().signal, name: undefined, unref: true, onRetry: () => {} };

    expect(await withRetry(fn, full, options)()).toBe('done');
    expect(await withRetry(fn, { ...settingsOf(full), maxAttempts: 2 }, options)()).toBe('done');
    expect(await withRetry(fn, { ...basePolicy, jitter: 'equal' }, {})()).toBe('done');
  });
});
