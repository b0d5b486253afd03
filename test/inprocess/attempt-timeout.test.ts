import { setImmediate } from 'node:timers/promises';
import { AttemptTimeoutError } from '@retry/core';
import { type AttemptContext, retry } from '@retry/inprocess';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rejectionOf } from './failing.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const unhandled = vi.fn();

let clock: FakeClock;
let signals: AbortSignal[];

beforeEach(() => {
  clock = createFakeClock();
  signals = [];
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});

afterEach(() => {
  process.off('unhandledRejection', unhandled);
});

/** Makes one attempt, and keeps its signal. */
function run(fn: () => unknown, attemptTimeout = 1_000, signal?: AbortSignal): Promise<unknown> {
  const kept = (context: AttemptContext): unknown => {
    signals.push(context.signal);
    return fn();
  };
  return retry(kept, { maxAttempts: 1, attemptTimeout }, { clock, signal });
}

async function expectNothingLeft(): Promise<void> {
  await setImmediate();
  expect(clock.pending()).toBe(0);
}

describe('an attempt under a timeout', () => {
  it.each([
    ['a value', () => 'done'],
    ['a promise', async () => 'done'],
  ])('resolves with what the function returns: %s', async (_name, fn) => {
    const result = await run(fn, 1_000);

    expect(result).toBe('done');
    await expectNothingLeft();
  });

  it.each([
    ['throws', (error: unknown) => () => Promise.resolve(throwIt(error))],
    ['rejects', (error: unknown) => () => Promise.reject(error)],
  ])('rejects with what the function %s', async (_name, failWith) => {
    const error = new Error('boom');

    const thrown = await rejectionOf(run(failWith(error), 1_000));

    expect(thrown).toBe(error);
    await expectNothingLeft();
  });

  it('calls the function immediately', () => {
    const fn = vi.fn();

    void run(fn);

    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('rejects with an AttemptTimeoutError on its timeout, not before', async () => {
    const settled = vi.fn();

    const result = rejectionOf(run(() => new Promise(() => {}), 250).finally(settled));
    await clock.advance(249);
    expect(settled).not.toHaveBeenCalled();
    await clock.advance(1);

    const thrown = await result;
    expect(thrown).toBeInstanceOf(AttemptTimeoutError);
    expect(thrown).toMatchObject({
      code: 'ATTEMPT_TIMEOUT',
      timeoutMs: 250,
      message: 'attempt 1 took longer than 250 ms',
    });
    await expectNothingLeft();
  });

  it('aborts the attempt with the error of its timeout', async () => {
    const result = rejectionOf(run(() => new Promise(() => {}), 250));
    await clock.advance(250);

    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toBe(await result);
  });

  it('leaves no timer when the caller aborts', async () => {
    const caller = new AbortController();

    const result = rejectionOf(run(() => new Promise(() => {}), 250, caller.signal));
    caller.abort('enough');

    expect(await result).toBe('enough');
    await expectNothingLeft();
  });

  it.each([
    ['a late result', (late: Late) => late.resolve('late')],
    ['a late failure', (late: Late) => late.reject(new Error('late'))],
  ])('ignores %s', async (_name, settle) => {
    const late = createLate();

    const result = rejectionOf(run(() => late.promise));
    await clock.advance(1_000);
    settle(late);
    await setImmediate();
    await setImmediate();

    expect(await result).toBeInstanceOf(AttemptTimeoutError);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('does not abort the signal of an attempt that ended by itself', async () => {
    await run(() => 'done', 250);
    await clock.advance(1_000);

    expect(signals[0]?.aborted).toBe(false);
  });
});

interface Late {
  readonly promise: Promise<string>;
  readonly resolve: (value: string) => void;
  readonly reject: (error: unknown) => void;
}

function createLate(): Late {
  const settle: Partial<Pick<Late, 'resolve' | 'reject'>>[] = [];
  const promise = new Promise<string>((resolve, reject) => void settle.push({ resolve, reject }));
  return {
    promise,
    resolve: (value) => settle[0]?.resolve?.(value),
    reject: (error) => settle[0]?.reject?.(error),
  };
}

function throwIt(error: unknown): never {
  throw error;
}
