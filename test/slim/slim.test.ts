import { setImmediate } from 'node:timers/promises';
import { definePolicy } from '@retry/core';
import { basePolicy, retry, retryInfo, withRetry } from '@retry/inprocess/slim';
import { describe, expect, expectTypeOf, it } from 'vitest';

describe('basePolicy', () => {
  it('is what definePolicy gives', () => {
    expect(basePolicy).toEqual({ ...definePolicy() });
  });
});

describe('the slim entry', () => {
  it('takes a policy as it is written', async () => {
    const policy = { ...basePolicy, maxAttempts: 2, backoff: { type: 'none' } } as const;
    const error = new Error('boom');

    const thrown = await withRetry(() => Promise.reject(error), policy)().catch((reason: unknown) => reason);

    expect(thrown).toBe(error);
    expect(retryInfo(error)).toMatchObject({ attempts: 2, reason: 'exhausted' });
  });

  it('takes no text for a duration, and knows no calls around its own', () => {
    const calls = (): void => {
      // @ts-expect-error: milliseconds only
      void retry(() => 1, { ...basePolicy, totalTimeoutMs: '2s' });
      // @ts-expect-error: parent is an option of the main entry
      void retry((parent) => retry(() => 1, basePolicy, { parent }), basePolicy);
    };

    expectTypeOf(calls).toBeFunction();
  });

  it('gives the attempt its context', async () => {
    const seen = await retry(async ({ attempt, isLast, signal }) => {
      await setImmediate();
      return [attempt, isLast, signal.aborted];
    }, basePolicy);

    expect(seen).toEqual([1, false, false]);
  });
});

describe('what the slim entry refuses', () => {
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
  ])('is the option %s: %o', async (path, value) => {
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
    ['deadlineMs', '2s'],
    ['totalTimeout', '2s'],
    ['retries', 3],
    ['retryOn', 'everybody'],
    ['jitter', null],
    ['backoff', undefined],
  ])('is the key %s of a policy: %o', async (path, value) => {
    const policy = { ...basePolicy, [path]: value } as typeof basePolicy;

    expect(() => withRetry(fn, policy)).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ path })] }),
    );
  });

  it.each([null, undefined, 5, {}, fn])('is the policy %o', (policy) => {
    expect(() => withRetry(fn, policy as never)).toThrow(/maxAttempts/);
  });

  it('is what is no function, and options that are no object', () => {
    expect(() => withRetry(basePolicy as never, fn as never)).toThrow(/fn/);
    expect(() => withRetry(fn, basePolicy, 5 as never)).toThrow(/options/);
    expect(() => withRetry(fn, basePolicy, null as never)).toThrow(/options/);
  });

  it('is nothing that is right', async () => {
    const full = definePolicy({ retryOn: 'nothing', jitter: { proportional: 0.1 }, retryIf: () => true });
    const options = { signal: new AbortController().signal, name: undefined, unref: true, onRetry: () => {} };

    expect(await withRetry(fn, full, options)()).toBe('done');
    expect(await withRetry(fn, { ...full, maxAttempts: 2 }, options)()).toBe('done');
    expect(await withRetry(fn, { ...basePolicy, jitter: 'equal' }, {})()).toBe('done');
  });
});
