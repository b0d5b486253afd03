import type { Renewal, SharedBudgetInput } from '@retry/core/budget/fleet';
import { defineSharedBudget, openBucket, refillBucket, renewLease } from '@retry/core/budget/fleet';
import { describe, expect, it } from 'vitest';
// Not exported by the package: the arithmetic inside a lease that is held.
import type { Lease } from '../../../packages/core/src/budget/fleet/lease.ts';
import {
  beginRenewal,
  endRenewal,
  isRenewalDue,
  noteEvent,
  openLease,
  spendToken,
  tokensOf,
} from '../../../packages/core/src/budget/fleet/lease.ts';

/** Two tokens a second, twenty at most: a lease lasts 5 s. */
const budget = defineSharedBudget({ perSecond: 2, burst: 20 });

const NOTHING: Renewal = { held: { taken: 0, slice: -1 }, left: 0, kept: 0, requests: 0, wanted: 0 };

describe('a shared bucket', () => {
  it('adds nothing while it is full, though a part of it is in a lease', () => {
    const first = renewLease(budget, openBucket(budget, 0), {
      renewal: { ...NOTHING, wanted: 10 },
      nowAt: 0,
    });
    const held = { taken: first.taken, slice: first.bucket.slice };

    const { bucket, taken } = renewLease(budget, first.bucket, {
      renewal: { ...NOTHING, held, wanted: 20 },
      nowAt: 4_900,
    });

    expect(first.taken).toBe(10);
    expect(bucket.tokens + taken).toBe(10);
  });

  it('takes what a dead process had for spent when its lease has ended, and adds from then on', () => {
    const { bucket } = renewLease(budget, openBucket(budget, 0), {
      renewal: { ...NOTHING, wanted: 10 },
      nowAt: 0,
    });
    const tokensAt = (nowAt: number): number => refillBucket(budget, bucket, { requests: 0, nowAt }).tokens;

    expect([tokensAt(5_000), tokensAt(5_500)]).toEqual([10, 10]);
    expect(tokensAt(6_556)).toBeCloseTo(12, 1);
    expect(tokensAt(60_000)).toBe(20);
  });

  it('takes back what was not spent, once', () => {
    const first = renewLease(budget, openBucket(budget, 0), {
      renewal: { ...NOTHING, wanted: 10 },
      nowAt: 0,
    });
    const renewal = { ...NOTHING, held: { taken: 10, slice: first.bucket.slice }, left: 7 };

    const again = renewLease(budget, first.bucket, { renewal, nowAt: 0 });
    const twice = renewLease(budget, again.bucket, { renewal, nowAt: 0 });

    expect(again.bucket.tokens + again.taken).toBe(17);
    expect(twice.bucket.tokens + twice.taken).toBe(16); // the lease before has one
  });

  it('gives a process at most half of what it has, and a sixteenth to one that needs none', () => {
    const many = defineSharedBudget({ ratio: 0.1, burst: 160 });
    const takenFor = (wanted: number): number =>
      renewLease(many, openBucket(many, 0), { renewal: { ...NOTHING, wanted }, nowAt: 0 }).taken;

    expect([1, 30, 1_000].map(takenFor)).toEqual([10, 30, 80]);
  });
});

/** Renews a lease in no time. @returns it, and how many first attempts were told */
function renewed(lease: Lease, nowAt: number, taken = 10): readonly [Lease, Renewal] {
  const { lease: sent, renewal } = beginRenewal(budget, lease, { nowAt });
  const end = { type: 'renewed', held: { taken, slice: nowAt }, sentAt: nowAt } as const;
  return [endRenewal(budget, sent, { end, wanted: renewal.wanted, nowAt }), renewal];
}

function calling(lease: Lease, nowAt: number, type: 'requests' | 'asked' = 'requests'): Lease {
  return noteEvent(budget, lease, { type, nowAt });
}

describe('a lease', () => {
  it('tells of each first attempt once, and of none that is older than a lease', () => {
    const [lease, first] = renewed(calling(calling(openLease(0), 0), 100), 200);
    const [, second] = renewed(calling(lease, 300), 400);
    const [, late] = renewed(calling(lease, 300), 5_400);

    expect([first, second, late].map(({ requests }) => requests)).toEqual([2, 1, 0]);
  });

  it('is spent by token until it ends', () => {
    const [lease] = renewed(openLease(0), 0, 2);

    expect(tokensOf(spendToken(lease, 1), 1)).toBe(1);
    expect(tokensOf(spendToken(spendToken(spendToken(lease, 1), 1), 1), 1)).toBe(0);
    expect([tokensOf(lease, 4_999), tokensOf(lease, 5_000)]).toEqual([2, 0]);
  });

  it('goes on to be spent while it is renewed, and what was spent is no part of the new one', () => {
    const [lease] = renewed(calling(calling(openLease(0), 0, 'asked'), 0, 'asked'), 0);
    const { lease: sent, renewal } = beginRenewal(budget, lease, { nowAt: 100 });
    const spent = spendToken(sent, 150);
    const end = { type: 'renewed', held: { taken: 5, slice: 1 }, sentAt: 100 } as const;

    expect(renewal).toMatchObject({ left: 10, kept: 2, wanted: 2 });
    expect(tokensOf(spent, 150)).toBe(1);
    expect(tokensOf(endRenewal(budget, spent, { end, wanted: 2, nowAt: 200 }), 200)).toBe(4);
  });

  it('gives nothing back of a lease of which nobody knows whether it was renewed', () => {
    const [lease] = renewed(openLease(0), 0);
    const { lease: sent } = beginRenewal(budget, lease, { nowAt: 100 });
    const lost = endRenewal(budget, sent, { end: { type: 'lost' }, wanted: 1, nowAt: 200 });

    expect(tokensOf(lost, 200)).toBe(1);
    expect(beginRenewal(budget, lost, { nowAt: 300 }).renewal.held.taken).toBe(0);
  });

  it('is renewed when it is nearly spent, nearly over, or not there, and not while it is being renewed', () => {
    const [lease] = renewed(openLease(0), 0);
    let asking = lease;
    for (let count = 0; count < 40; count += 1) asking = calling(asking, 100, 'asked');

    expect(isRenewalDue(budget, openLease(0), 0)).toBe(true);
    const late = endRenewal(budget, beginRenewal(budget, openLease(0), { nowAt: 0 }).lease, {
      ...{ end: { type: 'renewed', held: { taken: 3, slice: 0 }, sentAt: 0 }, wanted: 1, nowAt: 900 },
    });

    expect([tokensOf(late, 4_999), tokensOf(late, 5_000)]).toEqual([3, 0]);
    expect([100, 4_400, 4_501].map((at) => isRenewalDue(budget, lease, at))).toEqual([false, false, true]);
    expect(isRenewalDue(budget, asking, 100)).toBe(true);
    expect(isRenewalDue(budget, beginRenewal(budget, asking, { nowAt: 100 }).lease, 100)).toBe(false);
  });

  it('is asked for again after a quarter of its time where the bucket had too little', () => {
    const [lease] = renewed(openLease(0), 0, 0);

    expect([100, 1_249, 1_250].map((at) => isRenewalDue(budget, lease, at))).toEqual([false, false, true]);
  });
});

describe('defineSharedBudget', () => {
  it('has leases of at most 5 s, in which half of the burst may be added', () => {
    expect(defineSharedBudget({ ratio: 0.1 })).toEqual({
      ...{ ratio: 0.1, perSecond: 0, burst: 100, leaseMs: 5_000, localShare: 0.1 },
    });
    expect(defineSharedBudget({ perSecond: 50 })).toMatchObject({ burst: 500, leaseMs: 5_000 });
    expect(defineSharedBudget({ perSecond: 50, burst: 100 })).toMatchObject({ leaseMs: 1_000 });
  });

  it.each<[SharedBudgetInput, string]>([
    [{}, 'ratio is missing'],
    [{ ratio: -1 }, 'ratio must be a finite number ≥ 0'],
    [{ perSecond: 50, burst: 99 }, 'burst must be an integer of at least 100'],
    [{ ratio: 0.1, burst: 0 }, 'burst must be an integer of at least 1'],
    [{ ratio: 0.1, localShare: 2 }, 'localShare must be a number from 0 to 1'],
  ])('refuses %j', (input, message) => {
    expect(() => defineSharedBudget(input)).toThrow(message);
  });
});
