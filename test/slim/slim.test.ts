import { setImmediate } from 'node:timers/promises';
import { definePolicy } from '@retry/core';
import { basePolicy, retry, retryInfo, withRetry } from '@retry/inprocess/slim';
import { describe, expect, expectTypeOf, it } from 'vitest';

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
    expect(await withRetry(fn, { ...full, maxAttempts: 2 }, options)()).toBe('done');
    expect(await withRetry(fn, { ...basePolicy, jitter: 'equal' }, {})()).toBe('done');
  });
});
