import type { StartCounts } from '@retry/core/broker/kit';
import { reserveStarts } from '@retry/core/broker/kit';
import { describe, expect, it } from 'vitest';

const MINUTE = { limit: 10, windowMs: 60_000 };

describe('reserveStarts', () => {
  it('grants up to the limit, and says when more can be', () => {
    const first = reserveStarts(undefined, { ...MINUTE, count: 7 }, 0);
    const second = reserveStarts(first.counts, { ...MINUTE, count: 7 }, 1_000);

    expect(first.reserved).toEqual({ granted: 7 });
    expect(second.reserved).toEqual({ granted: 3, availableAt: 61_874 });
  });

  it('frees a bucket when its last instant is a window ago', () => {
    const { counts } = reserveStarts(undefined, { ...MINUTE, count: 10 }, 1_800);

    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 61_873).reserved).toEqual({
      granted: 0,
      availableAt: 61_874,
    });
    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 61_874).reserved).toEqual({ granted: 1 });
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

    expect(reserveStarts(later, shorter, 5_000).reserved).toEqual({ granted: 2, availableAt: 8_075 });
    expect(reserveStarts(later, longer, 5_000).reserved).toEqual({ granted: 0, availableAt: 5_099 });
  });

  it('grants nothing until a clock that went back is where it was', () => {
    const { counts } = reserveStarts(undefined, { ...MINUTE, count: 1 }, 100_000);

    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 99_990).reserved).toEqual({
      granted: 0,
      availableAt: 100_000,
    });
    expect(reserveStarts(counts, { ...MINUTE, count: 1 }, 100_000).reserved).toEqual({ granted: 1 });
  });
});
