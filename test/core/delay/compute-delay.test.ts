import { computeDelay, definePolicy, type JitterInput, type PolicyInput } from '@retry/core';
import { describe, expect, it, vi } from 'vitest';
import { JUST_UNDER_1 } from '../../support/arbitraries.ts';

const SECOND: PolicyInput = { backoff: { type: 'constant', base: '1s' }, jitter: 'none' };

function delayOf(input: PolicyInput, retry = 1, draw = 0.5): number {
  return computeDelay(definePolicy(input), retry, { random: () => draw });
}

describe('computeDelay', () => {
  it('spreads the default policy from 0 to 100, 200, 400 … 20 000 ms', () => {
    expect([1, 2, 3, 8, 9, 5_000].map((retry) => delayOf({}, retry))).toEqual([
      50, 100, 200, 6_400, 10_000, 10_000,
    ]);
  });

  it('limits a delay to maxDelay', () => {
    expect(delayOf({ ...SECOND, maxDelay: '300ms' })).toBe(300);
    expect(
      delayOf({ backoff: { type: 'exponential', base: 1 }, jitter: 'none', maxDelay: '1m' }, 5_000),
    ).toBe(60_000);
  });

  it('raises a delay to minDelay', () => {
    expect(delayOf({ ...SECOND, minDelay: '3s' })).toBe(3_000);
    expect(delayOf({ backoff: { type: 'none' }, minDelay: 5 })).toBe(5);
  });

  it.each([
    ['before-jitter', [500, 750, 1_000]],
    ['after-jitter', [1_000, 1_000, 1_000]],
    ['ignores-jitter', [1_000, 1_500, 2_000]],
  ] as const)('caps %s: bounded jitter of 4 s under 1 s is %o', (capAt, delays) => {
    const input = {
      backoff: { type: 'constant', base: '4s' },
      jitter: 'bounded',
      maxDelay: '1s',
      capAt,
    } as const;

    const drawn = [0, 0.5, JUST_UNDER_1].map((draw) => Math.round(delayOf(input, 1, draw)));

    expect(drawn).toEqual(delays);
  });

  it('piles late delays up at the cap when it comes after the jitter', () => {
    // seed 001: min(uniform(0, uncapped), cap)
    const input = {
      backoff: { type: 'constant', base: '4s' },
      maxDelay: '1s',
      capAt: 'after-jitter',
    } as const;

    expect([0, 0.125, 0.25, 0.5, 0.75].map((draw) => delayOf(input, 1, draw))).toEqual([
      0, 500, 1_000, 1_000, 1_000,
    ]);
  });

  it('may jitter over the cap when the cap is for the backoff only', () => {
    // seed 002: 300 s ± 10 % reaches 330 s
    const input = {
      backoff: { type: 'exponential', base: '1s' },
      jitter: { proportional: 0.1 },
      maxDelay: '300s',
      capAt: 'ignores-jitter',
      granularity: '1s',
    } as const;

    expect([0.49, 0.5, 0.99].map((draw) => delayOf(input, 20, draw))).toEqual([270_000, 300_000, 330_000]);
  });

  it('draws whole units, both ends included', () => {
    // seed 003: randrange(30 + 1) seconds
    const input = { backoff: { type: 'constant', base: '30s' }, granularity: '1s' } as const;

    expect([0, 0.5, JUST_UNDER_1].map((draw) => delayOf(input, 1, draw))).toEqual([0, 15_000, 30_000]);
  });

  it('rounds down, but not below the lowest and not above the highest delay', () => {
    const of = (base: number) =>
      delayOf({
        backoff: { type: 'constant', base },
        jitter: 'none',
        granularity: 1_000,
        minDelay: 1_500,
        maxDelay: 3_900,
      });

    expect([0, 1_999, 2_000, 2_999, 3_950, 9_000].map(of)).toEqual([
      2_000, 2_000, 2_000, 2_000, 3_000, 3_000,
    ]);
  });

  it('leaves room for jitter above the amount, in whole units', () => {
    // The cap is nine units; doubled, four of them stay below it.
    const input: PolicyInput = {
      backoff: { type: 'constant', base: '20s' },
      jitter: 'bounded',
      maxDelay: '9s',
      granularity: '1s',
    };

    expect([0, 0.5, JUST_UNDER_1].map((draw) => delayOf(input, 1, draw))).toEqual([4_000, 6_000, 8_000]);
  });

  it('grows decorrelated backoff from previousDelayMs', () => {
    const policy = definePolicy({ backoff: { type: 'decorrelated', base: 100 }, maxDelay: '1s' });
    const after = (previousDelayMs: number | undefined) =>
      computeDelay(policy, 2, { random: () => 0.5, previousDelayMs });

    // The middle of the range from 100 to three times the previous delay, or to the cap.
    expect([undefined, 100, 200, 600, 900].map(after)).toEqual([200, 200, 350, 550, 550]);
  });

  it.each([
    [0, undefined, 100],
    [0.5, 5_000, 7_550],
    [0.5, 10, 100],
    [0.5, 0, 100],
    [0.5, Number.NaN, 100],
  ])('draws decorrelated backoff by %d after %s ms as %d ms', (draw, previousDelayMs, delayMs) => {
    const policy = definePolicy({ backoff: { type: 'decorrelated', base: 100 }, maxDelay: 'Infinity' });

    expect(computeDelay(policy, 2, { random: () => draw, previousDelayMs })).toBe(delayMs);
  });

  it("caps decorrelated backoff after its draw with capAt: 'after-jitter'", () => {
    // seed 004: clamp(0, max_delay) of d + u * (max(3 * prev, d) - d)
    const backoff = { type: 'decorrelated', base: 100 } as const;
    const policy = definePolicy({ backoff, maxDelay: '1s', capAt: 'after-jitter' });
    const after = (previousDelayMs: number) =>
      computeDelay(policy, 2, { random: () => 0.5, previousDelayMs });

    expect([200, 600, 900].map(after)).toEqual([350, 950, 1_000]);
  });

  it('starts decorrelated backoff from minDelay if that is longer than the base', () => {
    const backoff = { type: 'decorrelated', base: 100 } as const;
    const policy = definePolicy({ backoff, minDelay: 500 });

    expect([0, 0.5].map((draw) => computeDelay(policy, 1, { random: () => draw }))).toEqual([500, 1_000]);
  });

  it('draws decorrelated backoff in whole units, both ends included', () => {
    const backoff = { type: 'decorrelated', base: '1s' } as const;
    const policy = definePolicy({ backoff, granularity: '1s' });

    const drawn = [0, 0.5, JUST_UNDER_1].map((draw) => computeDelay(policy, 1, { random: () => draw }));

    expect(drawn).toEqual([1_000, 2_000, 3_000]);
  });

  it.each<[JitterInput, readonly number[]]>([
    [{ down: 0.3 }, [700, 850, 1_000]],
    [{ minus: '20ms', plus: '20ms' }, [980, 1_000, 1_020]],
    [{ minus: '3s', plus: '3s' }, [0, 2_000, 4_000]],
  ])('spreads a second by %o for draws of 0, ½ and just under 1 to %o', (jitter, delays) => {
    const drawn = [0, 0.5, JUST_UNDER_1].map((draw) => Math.round(delayOf({ ...SECOND, jitter }, 1, draw)));

    expect(drawn).toEqual(delays);
  });

  it('leaves room for jitter by a length of time below the cap', () => {
    const input = { ...SECOND, jitter: { minus: 200, plus: 200 }, maxDelay: 900 } as const;

    expect([0, 0.5, JUST_UNDER_1].map((draw) => Math.round(delayOf(input, 1, draw)))).toEqual([
      500, 700, 900,
    ]);
  });

  it('counts jitter by a length of time in whole units', () => {
    const input = { ...SECOND, jitter: { minus: 250, plus: 250 }, granularity: 100 } as const;

    expect([0, 0.5, JUST_UNDER_1].map((draw) => delayOf(input, 1, draw))).toEqual([800, 1_000, 1_200]);
  });

  it('stays finite if no multiple of the granularity is finite', () => {
    const minDelay = Number.MAX_VALUE;

    expect(delayOf({ minDelay, maxDelay: 'Infinity', granularity: 9.8e297 })).toBe(Number.MAX_VALUE);
  });

  it('raises the smallest minDelay to a whole unit', () => {
    expect(delayOf({ backoff: { type: 'none' }, minDelay: 5e-324, granularity: 7 })).toBe(7);
  });

  it.each([0, -5, Number.NaN])('counts retry %d as the first', (retry) => {
    expect(delayOf({ backoff: { type: 'list', delays: [7, 8] }, jitter: 'none' }, retry)).toBe(7);
  });

  it('calls random once with jitter, and never without', () => {
    const random = vi.fn(() => 0.5);

    computeDelay(definePolicy(SECOND), 1, { random });
    expect(random).toHaveBeenCalledTimes(0);
    computeDelay(definePolicy(), 1, { random });
    expect(random).toHaveBeenCalledTimes(1);
  });

  it('stays finite without a cap', () => {
    const backoff = { type: 'exponential', base: 1 } as const;

    expect(delayOf({ backoff, jitter: 'none', maxDelay: 'Infinity' }, 5_000)).toBe(Number.MAX_VALUE);
    expect(delayOf({ backoff, jitter: 'bounded', maxDelay: 'Infinity' }, 5_000, 0.9)).toBeLessThan(Infinity);
  });

  it.each([3, 7, 1_000, 60_000])('stays finite without a cap in whole units of %d ms', (granularity) => {
    const backoff = { type: 'exponential', base: 1 } as const;

    expect(delayOf({ backoff, jitter: 'none', maxDelay: 'Infinity', granularity }, 5_000)).toBeLessThan(
      Infinity,
    );
  });

  it.each([Number.NaN, -1, 2, Infinity])('stays between the limits when the draw is %d', (draw) => {
    const delayMs = delayOf({ minDelay: 10, maxDelay: 50 }, 1, draw);

    expect(delayMs).toBeGreaterThanOrEqual(10);
    expect(delayMs).toBeLessThanOrEqual(50);
  });
});

describe('a random that returns a promise', () => {
  it.each<[string, PolicyInput]>([
    ['jitter', { jitter: 'full' }],
    ['decorrelated backoff', { backoff: { type: 'decorrelated', base: 100 } }],
  ])('is refused by %s, and a rejection of it ends no process', (_, input) => {
    const random = (): never => Promise.reject(new Error('no')) as never; // unhandled, it would end the test run

    expect(() => computeDelay(definePolicy(input), 1, { random })).toThrow(
      expect.objectContaining({ code: 'ASYNC_GATE', message: expect.stringContaining('random') }),
    );
  });
});
