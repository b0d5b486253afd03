import { setImmediate } from 'node:timers/promises';
import { AttemptTimeoutError, definePolicy } from '@retry/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Call } from '../../packages/inprocess/src/call/call.ts';
import { ToldAttempt } from '../../packages/inprocess/src/call/context.ts';
import { createPlan } from '../../packages/inprocess/src/call/plan.ts';
import { runAttempt } from '../../packages/inprocess/src/call/run-attempt.ts';
import { TOLD } from '../../packages/inprocess/src/retry.ts';
import { rejectionOf } from './failing.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const unhandled = vi.fn();

let clock: FakeClock;
let held: (() => void)[];
let attempt: ToldAttempt;

beforeEach(() => {
  clock = createFakeClock();
  held = [];
  attempt = makeAttempt(1_000);
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});

afterEach(() => {
  process.off('unhandledRejection', unhandled);
});

function makeAttempt(timeoutMs: number): ToldAttempt {
  const retried = { fn: () => undefined, policy: definePolicy(), options: { clock } };
  const plan = createPlan(retried, TOLD);
  const state = { previousError: undefined, isTimedOut: false, wish: undefined };
  const call = new Call(plan, 0);
  return new ToldAttempt({ call, attempt: 2, timeoutMs, startedAt: clock.now(), ...state });
}

function run(fn: () => unknown, timeoutMs = 1_000): Promise<unknown> {
  attempt = makeAttempt(timeoutMs);
  return runAttempt(fn, attempt, { clock, hold: (cancel) => void held.push(cancel) });
}

async function expectNothingLeft(): Promise<void> {
  await setImmediate();
  expect(clock.pending()).toBe(0);
}

describe('runAttempt', () => {
  it.each([
    ['a value', () => 'done'],
    ['a promise', async () => 'done'],
  ])('gives what the function gives: %s', async (_name, fn) => {
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

  it('runs the function at once', () => {
    const fn = vi.fn();

    void run(fn);

    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('rejects with an AttemptTimeoutError when the time is up, not before', async () => {
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
      message: 'attempt 2 took longer than 250 ms',
    });
    await expectNothingLeft();
  });

  it('aborts the attempt with the error it rejects with when the time is up', async () => {
    const result = rejectionOf(run(() => new Promise(() => {}), 250));
    const { signal } = attempt;
    await clock.advance(250);

    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(await result);
  });

  it('hands out how to clear its timer', async () => {
    void run(() => new Promise(() => {}), 250);
    for (const cancel of held) cancel();
    await clock.advance(250);

    expect(attempt.signal.aborted).toBe(false);
    await expectNothingLeft();
  });

  it.each([
    ['a late result', (late: Late) => late.resolve('late')],
    ['a late failure', (late: Late) => late.reject(new Error('late'))],
  ])('swallows %s', async (_name, settle) => {
    const late = createLate();

    const result = rejectionOf(run(() => late.promise));
    await clock.advance(1_000);
    settle(late);
    await setImmediate();
    await setImmediate();

    expect(await result).toBeInstanceOf(AttemptTimeoutError);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('leaves the signal of an attempt that ended by itself alone', async () => {
    await run(() => 'done', 250);
    await clock.advance(1_000);

    expect(attempt.signal.aborted).toBe(false);
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
