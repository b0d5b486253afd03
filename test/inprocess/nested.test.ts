import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { AttemptTimeoutError } from '@retry/core';
import {
  createCircuitBreaker,
  createRetryBudget,
  type NestedEvent,
  retry,
  tryRetry,
  withRetry,
} from '@retry/inprocess';
import { guardNestedRetries } from '@retry/inprocess/node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, detailsOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const NEVER = new Promise<never>(() => {});

describe('parent: ctx', () => {
  it('passes on what is left of the total timeout', async () => {
    const clock = createFakeClock();
    const seen: number[] = [];

    const result = tryRetry(
      (parent) => retry(({ remainingMs }) => void seen.push(remainingMs), AT_ONCE, { parent, clock }),
      { ...AT_ONCE, totalTimeout: '1s' },
      { clock },
    );
    await result;

    expect(seen).toEqual([1_000]);
  });

  it('times the first attempt out immediately, but starts it, when no time is left', async () => {
    const clock = createFakeClock();
    let readings = 0;
    const ticking = { ...clock, now: () => clock.now() + readings++ };
    const parent = { maxAttempts: 1, remainingMs: 0, signal: new AbortController().signal };

    const result = tryRetry(() => NEVER, AT_ONCE, { parent, clock: ticking });
    await clock.advance(1);

    expect(await result).toMatchObject({ ok: false, reason: 'total-timeout', error: { timeoutMs: 0 } });
    expect(clock.delays).toEqual([0]);
  });

  it('names an initial delay of the inner call that is longer than what is left', async () => {
    const clock = createFakeClock();
    const fn = vi.fn();

    const result = tryRetry(
      (parent) => retry(fn, { initialDelay: '500ms' }, { parent, clock }),
      { maxAttempts: 1, totalTimeout: '400ms' },
      { clock },
    );
    await clock.advance(400);

    expect(await result).toMatchObject({
      error: { code: 'TOTAL_TIMEOUT', message: 'the initialDelay left no time for an attempt within 400 ms' },
    });
    expect(fn).not.toHaveBeenCalled();
  });

  it('ends the inner call with the outer attempt, without another inner attempt', async () => {
    const clock = createFakeClock();
    const inner = vi.fn(() => NEVER);
    const own = new AbortController();

    const result = tryRetry(
      (parent) => retry(inner, { ...AT_ONCE, attemptTimeout: 60 }, { parent, clock, signal: own.signal }),
      { ...AT_ONCE, maxAttempts: 1, attemptTimeout: 100 },
      { clock },
    );
    await clock.advance(10_000);

    expect(await result).toMatchObject({ ok: false, reason: 'exhausted' });
    expect(inner).toHaveBeenCalledTimes(2);
    expect(clock.pending()).toBe(0);
  });

  it.each([1, 2])(
    'lets attempt %i of the outer call time out, whose time the inner call used up',
    async (slow) => {
      const clock = createFakeClock();
      const pause = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
      const reasons: unknown[] = [];

      const result = tryRetry(
        async (parent) => {
          if (parent.attempt > slow) return 'done';
          if (parent.attempt === slow) {
            parent.signal.addEventListener('abort', () => reasons.push(parent.signal.reason));
            // Two levels, as the error of the inner one is thrown by both.
            return retry((ctx) => retry(() => NEVER, AT_ONCE, { parent: ctx, clock }), AT_ONCE, {
              parent,
              clock,
            });
          }
          await pause(5);
          throw Object.assign(new Error('busy'), { status: 503 });
        },
        { ...AT_ONCE, attemptTimeout: 20, retryOn: [{ status: 503 }] },
        { clock, onRetry: ({ error }) => reasons.push(error) },
      );
      await clock.advance(1_000);

      expect(await result).toMatchObject({ ok: true, value: 'done', attempts: slow + 1 });
      expect(reasons.slice(-2)).toEqual([new AttemptTimeoutError(20, slow), reasons.at(-2)]);
    },
  );

  it('is a total timeout of the inner call when the outer attempt times out, which its circuit breaker counts', async () => {
    const clock = createFakeClock();
    const circuitBreaker = createCircuitBreaker({ minimumThroughput: 1, clock });
    const onGiveUp = vi.fn();

    const result = tryRetry(
      (parent) => retry(() => NEVER, AT_ONCE, { parent, clock, circuitBreaker, onGiveUp }),
      { ...AT_ONCE, maxAttempts: 2, attemptTimeout: 20 },
      { clock },
    );
    await clock.advance(1_000);

    expect(detailsOf(onGiveUp)).toMatchObject([[{ reason: 'total-timeout' }], [{ reason: 'circuit-open' }]]);
    expect(await result).toMatchObject({ error: { name: 'CircuitOpenError' }, attempts: 2 });
  });

  it('is an abort of the inner call when the caller aborts at that instant', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const onGiveUp = vi.fn();
    const reason = new Error('no longer wanted');

    const result = tryRetry(
      (parent) => retry(() => NEVER, AT_ONCE, { parent, clock, signal: controller.signal, onGiveUp }),
      { ...AT_ONCE, maxAttempts: 1, attemptTimeout: 20 },
      { clock },
    );
    await clock.advance(19.5);
    controller.abort(reason);

    expect(await result).toMatchObject({ error: reason });
    expect(detailsOf(onGiveUp)).toMatchObject([[{ reason: 'aborted' }]]);
  });

  it('does not take the own total timeout of an inner call for its own', async () => {
    const clock = createFakeClock();

    const result = tryRetry(
      (parent) => retry(() => NEVER, { ...AT_ONCE, totalTimeout: 10 }, { parent, clock }),
      { ...AT_ONCE, attemptTimeout: 20, retryOn: [{ status: 503 }] },
      { clock },
    );
    await clock.advance(1_000);

    expect(await result).toMatchObject({ reason: 'unexpected', error: { name: 'TotalTimeoutError' } });
  });

  it.each([
    ['no signal', { maxAttempts: 3, remainingMs: 9, signal: undefined }],
    ['a controller', { maxAttempts: 3, remainingMs: 9, signal: new AbortController() }],
    ['no number', { maxAttempts: 3, remainingMs: '9', signal: new AbortController().signal }],
  ])('is refused with %s', async (_, parent) => {
    const options = { parent } as never; // wrong on purpose

    const { error } = await tryRetry(() => 1, {}, options).then(
      () => ({ error: undefined }),
      (thrown: unknown) => ({ error: thrown }),
    );

    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', problems: [{ path: 'parent' }] });
  });

  it('is no limit where what is left is not a number', async () => {
    const parent = { maxAttempts: 1, remainingMs: Number.NaN, signal: new AbortController().signal };
    const clock = createFakeClock();

    const result = tryRetry(() => NEVER, { ...AT_ONCE, totalTimeout: 50 }, { parent, clock });
    await clock.advance(50);

    expect(await result).toMatchObject({ reason: 'total-timeout', error: { timeoutMs: 50 } });
  });

  it('rejects where it cannot be read any more, as a call does not throw', async () => {
    let readings = 0;
    const signal = new AbortController().signal;
    const parent = {
      maxAttempts: 3,
      remainingMs: 9,
      get signal(): AbortSignal {
        readings += 1;
        if (readings > 1) throw new Error('gone');
        return signal;
      },
    };
    const once = retry(() => 1, {}, { parent });
    readings = 0;
    const wrapped = withRetry(() => 1, {}, { parent })();

    await expect(once).rejects.toThrow('gone');
    await expect(wrapped).rejects.toThrow('gone');
  });

  it('aborts by its own signal, too', async () => {
    const own = new AbortController();
    const result = tryRetry((parent) => retry(() => NEVER, AT_ONCE, { parent, signal: own.signal }), {
      ...AT_ONCE,
      maxAttempts: 1,
    });
    own.abort('enough');

    expect(await result).toMatchObject({ error: 'enough' });
  });

  it('aborts by the outer caller’s signal or its own, and leaves no listener on either', async () => {
    const [outer, own] = [new AbortController(), new AbortController()];
    const inner = vi.fn(() => NEVER);

    const result = tryRetry(
      async (parent) => {
        await retry(() => 'done', AT_ONCE, { parent, signal: own.signal });
        return tryRetry(inner, AT_ONCE, { parent, signal: own.signal }).then(ends);
      },
      AT_ONCE,
      { signal: outer.signal },
    );
    const ends = vi.fn();
    await vi.waitFor(() => expect(inner).toHaveBeenCalledTimes(1), { timeout: 20_000 });
    outer.abort('enough');
    await setImmediate();

    expect(await result).toMatchObject({ error: 'enough', reason: 'aborted' });
    expect(ends.mock.calls[0]?.[0]).toMatchObject({ error: 'enough', reason: 'aborted' });
    await setImmediate();
    expect(getEventListeners(own.signal, 'abort')).toEqual([]);
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });

  it('shares the budget of the outer call', async () => {
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 10, costs: { default: 5 } });
    const inner = vi.fn(alwaysFailing());

    await tryRetry((parent) => retry(inner, AT_ONCE, { parent }), AT_ONCE, { budget });

    expect(inner).toHaveBeenCalledTimes(3);
  });

  it('accepts the context of a worker’s handler', async () => {
    const { signal } = new AbortController();

    const result = await retry(({ remainingMs }) => remainingMs, AT_ONCE, {
      clock: createFakeClock(),
      parent: { maxAttempts: 5, remainingMs: 700, signal },
    });

    expect(result).toBe(700);
  });

  it('makes only one attempt with nested: once', async () => {
    const inner = alwaysFailing();

    await tryRetry((parent) => retry(inner, AT_ONCE, { parent, nested: 'once' }), AT_ONCE);

    expect(inner).toHaveBeenCalledTimes(3);
  });

  it('calls onNested where attempts multiply', async () => {
    const onNested = vi.fn<(event: NestedEvent) => void>();

    await retry(
      (outer) =>
        retry(
          (middle) => retry(() => 'done', AT_ONCE, { parent: middle, onNested }),
          { maxAttempts: 2 },
          {
            parent: outer,
            onNested,
          },
        ),
      { maxAttempts: 4 },
    );
    await retry((parent) => retry(() => 'done', AT_ONCE, { parent, onNested }), { maxAttempts: 1 });

    expect(detailsOf(onNested)).toEqual([
      [{ depth: 1, maxAttempts: 2, totalAttempts: 8 }],
      [{ depth: 2, maxAttempts: 3, totalAttempts: 24 }],
    ]);
  });
});

describe('guardNestedRetries', () => {
  let unguard: () => void;

  beforeEach(() => {
    unguard = guardNestedRetries();
  });

  afterEach(() => unguard());

  it('lets an inner call find the outer attempt without the option parent, however deep and late', async () => {
    const onNested = vi.fn();
    const inner = withRetry(async () => 'done', AT_ONCE, { onNested });

    await withRetry(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return inner();
    }, AT_ONCE)();

    expect(detailsOf(onNested)).toEqual([[{ depth: 1, maxAttempts: 3, totalAttempts: 9 }]]);
  });

  it('does not nest a call that runs beside another', async () => {
    const onNested = vi.fn();
    const call = withRetry(async () => 'done', AT_ONCE, { onNested });

    await Promise.all([call(), call()]);

    expect(onNested).not.toHaveBeenCalled();
  });

  it.each([
    ['attemptTimeout', { attemptTimeout: '5s' }],
    ['totalTimeout', { totalTimeout: '5s' }],
  ] as const)('keeps the total timeout of a call inside a wrapped function with %s', async (_, outer) => {
    const clock = createFakeClock();
    const policy = { ...AT_ONCE, maxAttempts: 20, totalTimeout: 100 };
    const inner = () => tryRetry(() => NEVER, { ...policy, attemptTimeout: 30 }, { clock });

    const result = withRetry(inner, outer, { clock })();
    await clock.advance(1_000);

    expect(await result).toMatchObject({ reason: 'total-timeout', attempts: 4 });
  });

  it('passes on what is left of an attemptTimeout', async () => {
    const clock = createFakeClock();
    const seen: number[] = [];
    const inner = () => retry(({ remainingMs }) => void seen.push(remainingMs), AT_ONCE, { clock });

    await withRetry(inner, { attemptTimeout: '5s' }, { clock })();

    expect(seen).toEqual([5_000]);
  });

  it('frees what outlives an attempt that has ended, for the attempt around that one', async () => {
    const clock = createFakeClock();
    const pause = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
    const left: number[] = [];
    const later = async (ms: number): Promise<void> => {
      await pause(ms);
      await retry(({ remainingMs }) => void left.push(remainingMs), AT_ONCE, { clock });
    };
    const background: Promise<void>[] = [];

    const result = retry(
      async () => {
        await retry(() => void background.push(later(40), later(90)), { totalTimeout: 20 }, { clock });
        await pause(60);
      },
      { totalTimeout: 100 },
      { clock },
    );
    await clock.advance(1_000);
    await Promise.all([result, ...background]);

    expect(left).toEqual([60, Infinity]);
  });

  it('binds what outlives an attempt that was cut', async () => {
    const clock = createFakeClock();
    const late: unknown[] = [];
    const cut = async (): Promise<never> => {
      await new Promise<void>((resolve) => void clock.setTimer(resolve, 40));
      return retry(() => NEVER, AT_ONCE, { clock }).catch((error: unknown) => {
        late.push(error);
        throw error;
      });
    };

    const result = tryRetry(cut, { ...AT_ONCE, maxAttempts: 1, attemptTimeout: 20 }, { clock });
    await clock.advance(1_000);

    expect(await result).toMatchObject({ ok: false, reason: 'exhausted' });
    expect(late).toMatchObject([{ name: 'AttemptTimeoutError' }]);
  });

  it('is ended by the last of those who asked for it', async () => {
    const onNested = vi.fn();
    const nest = (): Promise<string> =>
      withRetry(() => withRetry(() => 'done', AT_ONCE, { onNested })(), AT_ONCE)();
    const other = guardNestedRetries();
    other();
    other();

    await nest();
    unguard();
    await nest();

    expect(onNested).toHaveBeenCalledTimes(1);
  });

  it('costs the promises of the process nothing once it has ended', async () => {
    const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');

    await withRetry(() => 'done', AT_ONCE)();
    const [storage] = run.mock.contexts;
    run.mockRestore();
    unguard();

    // Where contexts are a part of the engine, a storage has no such field, and no cost.
    expect(storage).toBeInstanceOf(AsyncLocalStorage);
    expect(Reflect.get(Object(storage), 'enabled')).not.toBe(true);
  });

  it('can be ended', async () => {
    const onNested = vi.fn();
    unguard();

    await withRetry(() => withRetry(() => 'done', AT_ONCE, { onNested })(), AT_ONCE)();

    expect(onNested).not.toHaveBeenCalled();
  });
});
