import type { Jitter } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { drawJitter, jitterRange, roomForJitter } from '../../../packages/core/src/delay/jitter.ts';
import { JUST_UNDER_1 } from '../../support/arbitraries.ts';

const REAL = 'real';
const WHOLE = 'whole';
const TENTH: Jitter = { proportional: 0.1 };

describe('drawJitter', () => {
  it.each<[Jitter, readonly number[]]>([
    ['none', [100, 100, 100, 100]],
    ['full', [0, 25, 50, 75]],
    ['equal', [50, 62.5, 75, 87.5]],
    ['bounded', [100, 125, 150, 175]],
    [{ proportional: 0.5 }, [100, 75, 100, 125]],
    [{ proportional: 0 }, [100, 100, 100, 100]],
  ])('spreads 100 by %o for draws of 0, ¼, ½ and ¾ to %o', (jitter, results) => {
    expect([0, 0.25, 0.5, 0.75].map((draw) => drawJitter(jitter, 100, draw, REAL))).toEqual(results);
  });

  it.each<[Jitter, readonly number[]]>([
    ['none', [10, 10, 10, 10]],
    // seed 003: an integer from 0 to the countdown, both included
    ['full', [0, 5, 10, 10]],
    ['equal', [5, 8, 10, 10]],
    ['bounded', [10, 15, 20, 20]],
    [{ proportional: 0.2 }, [10, 10, 12, 12]],
  ])('spreads 10 whole units by %o for draws of 0, ½, just under 1 and 1 to %o', (jitter, results) => {
    const drawn = [0, 0.5, JUST_UNDER_1, 1].map((draw) => drawJitter(jitter, 10, draw, WHOLE));

    expect(drawn).toEqual(results);
  });

  it('subtracts by the lower half of the draws and adds by the upper half', () => {
    // seed 002: delay ± 10 %
    const drawn = [0.25, 0.49, 0.5, 0.75, 0.99].map((draw) => drawJitter(TENTH, 300, draw, WHOLE));

    expect(drawn).toEqual([285, 270, 300, 315, 330]);
  });

  it('reaches both ends of whole units as often as each value between', () => {
    const counts = new Map<number, number>();
    for (let step = 0; step < 400; step += 1) {
      const value = drawJitter('full', 3, step / 400, WHOLE);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }

    expect([...counts]).toEqual([
      [0, 100],
      [1, 100],
      [2, 100],
      [3, 100],
    ]);
  });

  it('rounds half of an odd number of whole units', () => {
    expect(drawJitter('equal', 5, 0, WHOLE)).toBe(3);
    expect(drawJitter('equal', 5, JUST_UNDER_1, WHOLE)).toBe(5);
  });
});

describe('jitterRange', () => {
  it.each<[Jitter, number, readonly [number, number]]>([
    ['none', 100, [100, 100]],
    ['full', 100, [0, 100]],
    ['equal', 100, [50, 100]],
    ['bounded', 100, [100, 200]],
    [{ proportional: 0.25 }, 100, [75, 125]],
    [{ proportional: 1 }, 100, [0, 200]],
  ])('of %o around %d is %o', (jitter, amount, range) => {
    expect(jitterRange(jitter, amount, REAL)).toEqual(range);
  });

  it.each<[Jitter, number, readonly [number, number]]>([
    ['full', 5, [0, 5]],
    ['equal', 5, [3, 5]],
    ['bounded', 5, [5, 10]],
    [TENTH, 19, [18, 20]],
    [TENTH, 9, [9, 9]],
  ])('of %o around %d whole units is %o', (jitter, amount, range) => {
    expect(jitterRange(jitter, amount, WHOLE)).toEqual(range);
  });
});

describe('roomForJitter', () => {
  it.each<[Jitter, number]>([
    ['none', 300],
    ['full', 300],
    ['equal', 300],
    ['bounded', 150],
    [{ proportional: 0 }, 300],
    [{ proportional: 0.5 }, 200],
    [{ proportional: 1 }, 150],
  ])('leaves %o under a cap of 300 an amount of %d', (jitter, amount) => {
    expect(roomForJitter(jitter, 300, REAL)).toBe(amount);
  });

  it('returns whole units', () => {
    expect(roomForJitter('bounded', 5, WHOLE)).toBe(2);
    expect(roomForJitter(TENTH, 10, WHOLE)).toBe(9);
  });
});
