import { InvalidOptionsError, type PolicyInput } from '@retry/core';
import { withRetry } from '@retry/inprocess';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

describe('withRetry', () => {
  it('passes the same arguments to every attempt', async () => {
    const query = { id: 7 };
    const failOnce = failing(new Error('boom'));
    const load = vi.fn((_query: object, _limit: number) => failOnce());

    const result = await withRetry(load, AT_ONCE)(query, 10);

    expect(result).toBe('done');
    expect(load.mock.calls).toEqual([
      [query, 10],
      [query, 10],
    ]);
    expect(load.mock.calls[1]?.[0]).toBe(query);
  });

  it('passes the same this to every attempt', async () => {
    const seen: unknown[] = [];
    const client = {
      name: 'client',
      load: withRetry(function load(this: { readonly name: string }) {
        seen.push(this);
        if (seen.length < 3) throw new Error('boom');
        return this.name;
      }, AT_ONCE),
    };

    const result = await client.load();

    expect(result).toBe('client');
    expect(seen).toHaveLength(3);
    expect(seen.every((each) => each === client)).toBe(true);
  });

  it('keeps the name and the length of the function', () => {
    const wrapped = withRetry(function loadUser(_id: number, _options: object) {});

    expect([wrapped.name, wrapped.length]).toEqual(['loadUser', 2]);
  });

  it('keeps the types of parameters and result', () => {
    const original = (_id: number, _label?: string) => true;
    const plain = withRetry(original);
    const async = withRetry(async (..._ids: number[]) => 'user');

    expectTypeOf(plain).parameters.toEqualTypeOf<Parameters<typeof original>>();
    expectTypeOf(plain).returns.toEqualTypeOf<Promise<boolean>>();
    expectTypeOf(async).parameters.toEqualTypeOf<number[]>();
    expectTypeOf(async).returns.toEqualTypeOf<Promise<string>>();
    // @ts-expect-error: the parameter is a number
    expect(() => plain('7')).not.toThrow();
  });

  it('keeps a generic function generic', async () => {
    const wrapped = withRetry(<T>(value: T): Promise<{ readonly value: T }> => Promise.resolve({ value }));

    const [number, text] = [await wrapped(5 as number), await wrapped('five' as string)];

    expectTypeOf(number).toEqualTypeOf<{ readonly value: number }>();
    expectTypeOf(text).toEqualTypeOf<{ readonly value: string }>();
    expect([number.value, text.value]).toEqual([5, 'five']);
  });

  it('keeps the type of this', async () => {
    const add = withRetry(function add(this: { readonly total: number }, by: number) {
      return this.total + by;
    });

    expectTypeOf(add).thisParameter.toEqualTypeOf<{ readonly total: number }>();
    expectTypeOf(add).returns.toEqualTypeOf<Promise<number>>();
    expect(await add.call({ total: 2 }, 3)).toBe(5);
  });

  it('returns a promise even if the function returns a value', async () => {
    const result = withRetry(() => 5)();

    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe(5);
  });

  it('never throws: a synchronous failure becomes a rejection', async () => {
    const error = new Error('immediately');
    const wrapped = withRetry(
      () => {
        throw error;
      },
      { maxAttempts: 1 },
    );

    const result = wrapped();

    expect(await rejectionOf(result)).toBe(error);
  });

  it.each([
    ['retries', { retries: 3 }, 'maxAttempts: 4'],
    ['attempts', { attempts: 3 }, 'maxAttempts'],
    ['maxAttempts: 0', { maxAttempts: 0 }, 'maxAttempts must be an integer ≥ 1'],
    ['null', null, 'the policy'],
  ])('throws an InvalidOptionsError when it wraps, not when it is called, for %s', (_name, policy, cure) => {
    const wrap = (): unknown => withRetry(async () => 'done', policy as PolicyInput); // wrong on purpose

    expect(wrap).toThrow(InvalidOptionsError);
    expect(wrap).toThrow(cure);
  });

  it('makes 3 attempts without a policy', async () => {
    const error = new Error('boom');
    const fn = alwaysFailing(error);
    const clock = createFakeClock();

    const result = rejectionOf(withRetry(fn, undefined, { clock, random: () => 0.5 })());
    await clock.advance(1_000);

    expect(await result).toBe(error);
    expect(fn).toHaveBeenCalledTimes(3);
    expect(clock.delays).toEqual([50, 100]);
  });

  it('counts each call of one wrapped function separately', async () => {
    const clock = createFakeClock();
    const policy = { maxAttempts: 3, backoff: { type: 'decorrelated', base: 100 } } as const;
    const call = withRetry(alwaysFailing(), policy, { clock, random: () => 0.5 });

    const results = Promise.allSettled([call(), call()]);
    await clock.advance(10_000);
    await results;

    expect(clock.delays).toEqual([200, 200, 350, 350]);
  });

  it('starts anew with each call', async () => {
    const fn = failing(new Error('one'), new Error('two'), new Error('three'), new Error('four'));
    const call = withRetry(fn, AT_ONCE);

    const first = await rejectionOf(call());
    const second = await call();

    expect(first).toEqual(new Error('three'));
    expect(second).toBe('done');
    expect(fn).toHaveBeenCalledTimes(5);
  });

  it('computes no delays in advance, however many attempts there may be', async () => {
    const strategy = vi.fn(() => 1);
    const random = vi.fn(() => 0.5);
    const policy = { maxAttempts: 2_000_000, backoff: { type: 'custom', strategy } } as const;

    const result = await withRetry(async () => 'done', policy, { random })();

    expect(result).toBe('done');
    expect(strategy).not.toHaveBeenCalled();
    expect(random).not.toHaveBeenCalled();
  });

  it('adds one frame to the stack of an error of a later attempt', async () => {
    const load = withRetry(async () => {
      throw new Error('boom');
    }, AT_ONCE);

    const error = await rejectionOf(load());

    const frames = (error as Error).stack?.split('\n') ?? [];
    expect(frames.filter((line) => line.includes('/packages/'))).toEqual([
      expect.stringMatching(/at runCall .*run\.ts/),
    ]);
  });
});
