import type { DelayContext } from '@retry/core';
import { describe, expect, it, vi } from 'vitest';
import {
  askStrategy,
  type CountedBackoff,
  decorrelatedCeiling,
  growDelay,
} from '../../../packages/core/src/delay/backoff.ts';

const random = () => 0.5;
const grow = (backoff: CountedBackoff, retries: readonly number[]) =>
  retries.map((retry) => growDelay(backoff, retry));

describe('growDelay', () => {
  it.each<[CountedBackoff, readonly number[]]>([
    [{ type: 'none' }, [0, 0, 0, 0]],
    [{ type: 'constant', baseMs: 250 }, [250, 250, 250, 250]],
    [{ type: 'linear', baseMs: 1_000, incrementMs: 500 }, [1_000, 1_500, 2_000, 2_500]],
    [{ type: 'linear', baseMs: 0, incrementMs: 10 }, [0, 10, 20, 30]],
    [{ type: 'exponential', baseMs: 100, factor: 2 }, [100, 200, 400, 800]],
    [{ type: 'exponential', baseMs: 100, factor: 1 }, [100, 100, 100, 100]],
    [{ type: 'exponential', baseMs: 100, factor: 0.5 }, [100, 50, 25, 12.5]],
    [{ type: 'exponential', baseMs: 100, factor: 0 }, [100, 0, 0, 0]],
    [{ type: 'fibonacci', baseMs: 10 }, [10, 10, 20, 30]],
    [{ type: 'list', delaysMs: [5, 1, 7] }, [5, 1, 7, 7]],
  ])('grows %o from retry 1 to 4 as %o', (backoff, delays) => {
    expect(grow(backoff, [1, 2, 3, 4])).toEqual(delays);
  });

  it('follows the Fibonacci numbers', () => {
    // seed 004: 1, 1, 2, 3, 5, 8 times the base
    expect(grow({ type: 'fibonacci', baseMs: 1 }, [1, 2, 3, 4, 5, 6, 7, 20, 78])).toEqual([
      1, 1, 2, 3, 5, 8, 13, 6_765, 8_944_394_323_791_464,
    ]);
  });

  it('doubles exactly, for any number of retries', () => {
    const retries = Array.from({ length: 1_024 }, (_, index) => index + 1);

    expect(grow({ type: 'exponential', baseMs: 3, factor: 2 }, retries)).toEqual(
      retries.map((retry) => 3 * 2 ** (retry - 1)),
    );
  });

  it('is Infinity beyond the largest double, never NaN', () => {
    const last = Number.MAX_SAFE_INTEGER;

    expect(grow({ type: 'exponential', baseMs: 1, factor: 2 }, [1_024, 1_025, last])).toEqual([
      2 ** 1_023,
      Infinity,
      Infinity,
    ]);
    expect(grow({ type: 'fibonacci', baseMs: 1 }, [1_476, 1_477, last])).toEqual([
      1.3069892237633987e308,
      Infinity,
      Infinity,
    ]);
    expect(grow({ type: 'linear', baseMs: 1, incrementMs: 1e300 }, [last])).toEqual([Infinity]);
  });

  it('keeps a base of 0 at 0 however often it grows', () => {
    expect(grow({ type: 'exponential', baseMs: 0, factor: 2 }, [1, 5_000])).toEqual([0, 0]);
    expect(grow({ type: 'fibonacci', baseMs: 0 }, [1, 5_000])).toEqual([0, 0]);
  });
});

describe('askStrategy', () => {
  it('passes a custom strategy the retry, the base and the context', () => {
    const next = vi.fn(() => 5);
    const context: DelayContext = { random, previousDelayMs: 7, error: new Error('boom') };

    const delayMs = askStrategy({ type: 'custom', next, baseMs: 300 }, 4, context);

    expect(delayMs).toBe(5);
    expect(next.mock.calls).toEqual([[4, { ...context, baseMs: 300 }]]);
  });

  it.each([
    [Number.NaN, 300],
    [Infinity, 300],
    [-Infinity, 300],
    ['5', 300],
    [undefined, 300],
    [-1, 0],
    [0, 0],
  ])('reads %o from a custom strategy as %d ms', (answer, delayMs) => {
    // Values that a strategy written in JavaScript may return.
    const next = () => answer as number;

    expect(askStrategy({ type: 'custom', next, baseMs: 300 }, 1, { random })).toBe(delayMs);
  });

  it.each([
    ['fulfilled', () => Promise.resolve(5)],
    ['rejected', () => Promise.reject(new Error('no'))], // unhandled, it would end the test run
  ])('refuses a %s promise', (_, answer) => {
    const next = () => answer() as unknown as number;

    expect(() => askStrategy({ type: 'custom', next, baseMs: 300 }, 1, { random })).toThrow(
      expect.objectContaining({ code: 'ASYNC_GATE' }),
    );
  });

  it('has no delay for a strategy that stops the retrying', () => {
    expect(askStrategy({ type: 'custom', next: () => 'stop', baseMs: 300 }, 1, { random })).toBeUndefined();
  });

  it('passes on what a custom strategy throws', () => {
    const next = () => {
      throw new RangeError('strategy');
    };

    expect(() => askStrategy({ type: 'custom', next, baseMs: 300 }, 1, { random })).toThrow('strategy');
  });
});

describe('decorrelatedCeiling', () => {
  it.each([
    [100, 100, 300],
    [100, 20, 100],
    [100, 34, 102],
    [0, 0, 0],
    [100, Number.NaN, 100],
    [100, -5, 100],
    [100, Infinity, Number.MAX_VALUE],
    [100, Number.MAX_VALUE, Number.MAX_VALUE],
  ])('is, for a base of %d ms after %d ms, %d ms', (baseMs, previousDelayMs, ceiling) => {
    expect(decorrelatedCeiling(baseMs, previousDelayMs)).toBe(ceiling);
  });
});
