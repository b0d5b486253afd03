import type { StartCounts } from '@retry/core/broker/kit';
import { correctStarts, reserveStarts } from '@retry/core/broker/kit';
import { describe, expect, it } from 'vitest';

const MINUTE = { limit: 10, windowMs: 60_000 };

describe('reserveStarts', () => {
  it('grants up to the limit, and says when more can be', () => {
    const first = reserveStarts(undefined, { ...MINUTE, count: 7 }, 0);
    const second = reserveStarts(first.counts, { ...MINUTE, count: 7 }, 1_000);

    expect(first.reserved).toEqual({ granted: 7, grantedAt: 0 });
    expect(second.reserved).toEqual({ granted: 3, grantedAt: 1_000, availableAt: 61_874 });
  });

  it('frees a bucket when its last instant is a window ago', () => {
    const { counts } = reserveStarts(undefined, { ...MINUTE, count: 10 }, 1_800);

    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 61_873).reserved).toEqual({
      granted: 0,
      availableAt: 61_874,
    });
    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 61_874).reserved.granted).toBe(1);
  });

  it('counts two starts that are exactly a short window apart in different windows', () => {
    const { counts } = reserveStarts(undefined, { limit: 1, windowMs: 20, count: 1 }, 100);

    expect(reserveStarts(counts, { limit: 1, windowMs: 20, count: 1 }, 119).reserved.granted).toBe(0);
    expect(reserveStarts(counts, { limit: 1, windowMs: 20, count: 1 }, 120).reserved.granted).toBe(1);
  });

  it('changes nothing when it grants nothing', () => {
    const { counts } = reserveStarts(undefined, { ...MINUTE, count: 10 }, 0);

    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 5_000).counts).toBe(counts);
  });

  it('counts a lower limit from now on: one more when enough buckets have left the window', () => {
    let counts: StartCounts | undefined;
    for (const at of [0, 10_000, 20_000]) counts = reserveStarts(counts, { ...MINUTE, count: 3 }, at).counts;

    const lower = reserveStarts(counts, { ...MINUTE, limit: 4, count: 1 }, 30_000);

    expect(lower.reserved).toEqual({ granted: 0, availableAt: 71_249 });
  });

  it('counts starts of a longer window in a shorter one as of the end of their bucket', () => {
    const { counts } = reserveStarts(undefined, { ...MINUTE, count: 4 }, 0);
    const later = reserveStarts(counts, { ...MINUTE, count: 1 }, 5_000).counts;

    const shorter = { limit: 3, windowMs: 3_000, count: 4 };
    const longer = { limit: 3, windowMs: 3_200, count: 4 };

    expect(reserveStarts(later, shorter, 5_000).reserved).toEqual({
      ...{ granted: 2, grantedAt: 5_000, availableAt: 8_075 },
    });
    expect(reserveStarts(later, longer, 5_000).reserved).toEqual({ granted: 0, availableAt: 5_099 });
  });

  it('grants nothing until a clock that went back is where it was', () => {
    const { counts } = reserveStarts(undefined, { ...MINUTE, count: 1 }, 100_000);

    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 99_990).reserved).toEqual({
      granted: 0,
      availableAt: 100_000,
    });
    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 100_000).reserved.granted).toBe(1);
  });

  it('grants nothing where fewer are left than are of use, and says when so many are', () => {
    let counts: StartCounts | undefined;
    for (const at of [0, 10_000, 20_000]) counts = reserveStarts(counts, { ...MINUTE, count: 3 }, at).counts;

    const refused = reserveStarts(counts, { ...MINUTE, count: 6, least: 5 }, 30_000);

    expect(refused).toEqual({ counts, reserved: { granted: 0, availableAt: 71_249 } });
    expect(reserveStarts(counts, { ...MINUTE, count: 6, least: 5 }, 71_248).reserved.granted).toBe(0);
    expect(reserveStarts(counts, { ...MINUTE, count: 6, least: 5 }, 71_249).reserved.granted).toBe(6);
  });
});

describe('correctStarts', () => {
  const { counts } = reserveStarts(undefined, { ...MINUTE, count: 7 }, 1_000);

  it('takes starts away, and adds some, as of when they were granted', () => {
    const later = reserveStarts(counts, { ...MINUTE, count: 1 }, 30_000).counts;

    expect(correctStarts(later, { grantedAt: 1_000, count: -4 })?.buckets).toEqual([
      [0, 3],
      [16, 1],
    ]);
    expect(correctStarts(later, { grantedAt: 1_000, count: 13 })?.buckets).toEqual([
      [0, 20],
      [16, 1],
    ]);
  });

  it('takes away no more than there are', () => {
    expect(correctStarts(counts, { grantedAt: 1_000, count: -9 })?.buckets).toEqual([[0, 0]]);
  });

  it('adds a bucket where there is none, before the latest start and in the window', () => {
    const later = reserveStarts(counts, { ...MINUTE, count: 1 }, 60_000).counts;

    expect(correctStarts(later, { grantedAt: 5_000, count: 2 })?.buckets).toEqual([
      [0, 7],
      [2, 2],
      [32, 1],
    ]);
    expect(correctStarts(later, { grantedAt: 60_001, count: 2 })).toEqual(later);
    expect(correctStarts(later, { grantedAt: 5_000, count: -2 })).toEqual(later);
  });

  it('changes nothing where the starts have left the window, and where nothing is kept', () => {
    const later = reserveStarts(counts, { ...MINUTE, count: 1 }, 61_875).counts;

    expect(correctStarts(later, { grantedAt: 1_000, count: 2 })).toEqual(later);
    expect(correctStarts(undefined, { grantedAt: 1_000, count: 2 })).toBeUndefined();
  });

  it('corrects every window of a key', () => {
    const both = reserveStarts(counts, { limit: 10, windowMs: 120_000, count: 1 }, 2_000).counts;

    const corrected = correctStarts(both, { grantedAt: 2_000, count: 3 });

    expect(corrected?.windowMs).toBe(120_000);
    expect(corrected?.buckets).toEqual([[0, 11]]);
    expect(corrected?.others?.map(({ buckets }) => buckets)).toEqual([
      [
        [0, 7],
        [1, 4],
      ],
    ]);
  });
});
