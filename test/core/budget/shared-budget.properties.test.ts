import type { Renewal, SharedBucket, SharedBudget } from '@retry/core/budget/fleet';
import { defineSharedBudget, openBucket, refillBucket, renewLease } from '@retry/core/budget/fleet';
import fc from 'fast-check';
import { expect, it } from 'vitest';
// Not exported by the package: the arithmetic inside a lease that is held.
import type { Lease } from '../../../packages/core/src/budget/fleet/lease.ts';
import {
  beginRenewal,
  endRenewal,
  noteEvent,
  openLease,
  spendToken,
  tokensOf,
} from '../../../packages/core/src/budget/fleet/lease.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** What one process does after some time. `renew` is all of `begin`, `write` and `answer`; `lost` is which of the last two never arrives. */
interface Step {
  readonly passMs: number;
  /** Its number; `PROCESSES`: each of them does it. */
  readonly process: number;
  readonly does: 'call' | 'retry' | 'renew' | 'begin' | 'write' | 'answer' | 'die';
  readonly count: number;
  readonly lost: 'write' | 'answer' | 'none';
}

const PROCESSES = 2;

/** How long an adapter tries to write a renewal, in ms: `createSharedBudget` says so. */
const WRITTEN_MS = 1_000;

const RUNS = { numRuns: propertyRuns(10) };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    passMs: fc.oneof(
      { weight: 10, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 1_300 }) },
      { weight: 3, arbitrary: fc.integer({ min: 4_700, max: 5_600 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 30_000 }) },
    ),
    process: fc.integer({ min: 0, max: PROCESSES }),
    does: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom<Step['does'][]>('retry', 'retry', 'renew', 'renew') },
      { weight: 8, arbitrary: fc.constantFrom<Step['does'][]>('call', 'begin', 'write', 'answer') },
      { weight: 1, arbitrary: fc.constant<Step['does']>('die') },
    ),
    count: fc.integer({ min: 1, max: 20 }),
    lost: fc.oneof(
      { weight: 6, arbitrary: fc.constant<Step['lost']>('none') },
      { weight: 1, arbitrary: fc.constantFrom<Step['lost'][]>('write', 'answer') },
    ),
  }),
  { maxLength: 120, size: 'max' },
);

const budgets = fc
  .record({
    ratio: fc.constantFrom(0, 0.1, 0.5),
    perSecond: fc.constantFrom(0, 0.3, 1, 2),
    burst: fc.integer({ min: 4, max: 20 }),
  })
  .map(defineSharedBudget);

interface Process {
  /** How far its clock is ahead. */
  readonly aheadMs: number;
  lease: Lease;
  sent?: { readonly renewal: Renewal; readonly sentAt: number };
  written?: Renewal['held'];
}

/** Plays a fleet on one bucket, that renews and asks for as much whenever it likes. @returns when retries were granted, and when calls were made */
function play(
  budget: SharedBudget,
  all: readonly Step[],
  {
    aheads,
    onBucket,
    jump = { step: Infinity, byMs: 0 },
  }: {
    readonly aheads: readonly number[];
    readonly onBucket: (bucket: SharedBucket) => void;
    /** The clock of the store is set by this much at this step. */
    readonly jump?: { readonly step: number; readonly byMs: number };
  },
) {
  const grants: number[] = [];
  const calls: number[] = [];
  let now = 1_000_000;
  let storeAheadMs = 0;
  let bucket: SharedBucket | undefined;
  const fleet: Process[] = aheads.map((aheadMs) => ({ aheadMs, lease: openLease(now + aheadMs) }));
  const move = ({ process: index, does, count, lost }: Omit<Step, 'passMs'>): void => {
    const process = fleet[index];
    if (process === undefined) return;
    const own = now + process.aheadMs;
    if (does === 'die') {
      fleet[index] = { aheadMs: process.aheadMs, lease: openLease(own) };
    } else if (does === 'call') {
      for (let call = 0; call < count; call += 1) {
        calls.push(now);
        process.lease = noteEvent(budget, process.lease, { type: 'requests', nowAt: own });
      }
    } else if (does === 'retry') {
      for (let retry = 0; retry < count; retry += 1) {
        process.lease = noteEvent(budget, process.lease, { type: 'asked', nowAt: own });
        if (tokensOf(process.lease, own) >= 1) grants.push(now);
        process.lease = spendToken(process.lease, own);
      }
    } else if (does === 'begin' && process.sent === undefined) {
      const { lease, renewal } = beginRenewal(budget, process.lease, { nowAt: own });
      process.lease = lease;
      process.sent = { renewal: { ...renewal, wanted: Math.max(renewal.wanted, count) }, sentAt: own };
    } else if (
      does === 'write' &&
      process.sent !== undefined &&
      process.written === undefined &&
      own - process.sent.sentAt < WRITTEN_MS &&
      lost !== 'write'
    ) {
      const nowAt = now + storeAheadMs;
      const opened = bucket ?? openBucket(budget, nowAt);
      const renewed = renewLease(budget, opened, { renewal: process.sent.renewal, nowAt });
      bucket = renewed.bucket;
      process.written = { taken: renewed.taken, slice: bucket.slice };
      onBucket(bucket);
    } else if (does === 'answer' && process.sent !== undefined) {
      const { renewal, sentAt } = process.sent;
      const { written } = process;
      const end =
        written === undefined || lost === 'answer'
          ? ({ type: 'lost' } as const)
          : ({ type: 'renewed', held: written, sentAt } as const);
      process.lease = endRenewal(budget, process.lease, { end, wanted: renewal.wanted, nowAt: own });
      delete process.sent;
      delete process.written;
    }
  };
  for (const [index, { passMs, does, process, ...step }] of all.entries()) {
    now += passMs;
    if (index === jump.step) storeAheadMs = jump.byMs;
    const parts = does === 'renew' ? (['begin', 'write', 'answer'] as const) : ([does] as const);
    for (const each of process < PROCESSES ? [process] : fleet.keys())
      for (const part of parts) move({ ...step, process: each, does: part });
  }
  return { grants, calls };
}

const aheads = fc.array(fc.integer({ min: -3_600_000, max: 3_600_000 }), {
  minLength: PROCESSES,
  maxLength: PROCESSES,
});

/** In any time there are no more grants than its limit, burst and this many more. */
function expectWithin(
  { ratio, perSecond, burst, leaseMs }: SharedBudget,
  {
    grants,
    calls,
    spareTokens,
  }: { readonly grants: readonly number[]; readonly calls: readonly number[]; readonly spareTokens: number },
): void {
  const countOf = (instants: readonly number[], from: number, until: number): number =>
    instants.filter((at) => at >= from && at <= until).length;
  const instants = [...new Set(grants)];
  for (const [index, from] of instants.entries())
    for (const until of instants.slice(index)) {
      const told = ratio === 0 ? 0 : countOf(calls, from - leaseMs - WRITTEN_MS, until);
      const most = burst + spareTokens + ((until - from) / 1_000) * perSecond + told * ratio + 1e-6;
      expect(countOf(grants, from, until)).toBeLessThanOrEqual(most);
    }
}

it('no fleet is granted more in any time than its limit and burst, whoever dies, whatever is lost, and whatever clocks say', () => {
  fc.assert(
    fc.property(budgets, steps, aheads, (budget, all, given) => {
      const { grants, calls } = play(budget, all, { aheads: given, onBucket: () => {} });

      expectWithin(budget, { grants, calls, spareTokens: 0 });
    }),
    RUNS,
  );
});

it('a clock of the store that is set forward gives one burst more, and one that is set back nothing', () => {
  const jumps = fc.record({
    step: fc.nat(60),
    byMs: fc.oneof(fc.integer({ min: -3_600_000, max: 3_600_000 }), fc.integer({ min: 0, max: 20_000 })),
  });
  fc.assert(
    fc.property(budgets, steps, aheads, jumps, (budget, all, given, jump) => {
      const { grants, calls } = play(budget, all, { aheads: given, onBucket: () => {}, jump });

      expectWithin(budget, { grants, calls, spareTokens: jump.byMs > 0 ? budget.burst : 0 });
    }),
    RUNS,
  );
});

it('first attempts that are told while the store is slow pay for the retries of that time', () => {
  const budget = defineSharedBudget({ ratio: 0.5, burst: 4 });
  const idle = { passMs: 0, count: 1, lost: 'none' } as const;
  const { grants, calls } = play(
    budget,
    [
      { ...idle, process: 0, does: 'call', count: 2 },
      { ...idle, process: 0, does: 'begin', passMs: 4_700 },
      { ...idle, process: 1, does: 'renew', passMs: 301 },
      { ...idle, process: 1, does: 'retry' },
      { ...idle, process: 1, does: 'renew' },
      { ...idle, process: 1, does: 'retry' },
      { ...idle, process: PROCESSES, does: 'renew' },
      { ...idle, process: 1, does: 'retry' },
      { ...idle, process: 1, does: 'renew' },
      { ...idle, process: PROCESSES, does: 'retry' },
    ],
    { aheads: [0, 0], onBucket: () => {} },
  );

  expect(grants).toEqual([5_001, 5_001, 5_001, 5_001, 5_001].map((ms) => 1_000_000 + ms));
  expectWithin(budget, { grants, calls, spareTokens: 0 });
});

it('the tokens of the bucket and of its leases are never more than the burst, nor fewer than none', () => {
  fc.assert(
    fc.property(budgets, steps, aheads, (budget, all, given) => {
      const onBucket = ({ tokens, leased }: SharedBucket): void => {
        expect(tokens).toBeGreaterThanOrEqual(0);
        expect(leased.every((count) => count >= 0)).toBe(true);
        expect(tokens + leased.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(
          budget.burst + 1e-9,
        );
      };
      play(budget, all, { aheads: given, onBucket });
    }),
  );
});

it('a bucket fills up again in the time that its burst takes, when all leases have ended', () => {
  fc.assert(
    fc.property(budgets, steps, aheads, (budget, all, given) => {
      fc.pre(budget.perSecond > 0);
      let latest: SharedBucket | undefined;
      play(budget, all, {
        aheads: given,
        onBucket: (bucket) => {
          latest = bucket;
        },
      });
      fc.pre(latest !== undefined);
      const nowAt =
        latest.refilledAt + (budget.leaseMs * 10) / 9 + (budget.burst / budget.perSecond) * 1_000 + 1;

      const { tokens } = refillBucket(budget, latest, { requests: 0, nowAt });

      expect(tokens).toBeCloseTo(budget.burst, 6);
    }),
  );
});

it('a clock that is set back adds nothing, and takes nothing', () => {
  fc.assert(
    fc.property(budgets, fc.nat(10_000_000), fc.nat(20), (budget, backMs, taken) => {
      const bucket = { ...openBucket(budget, 20_000_000), tokens: Math.max(0, budget.burst - taken) };

      const { tokens, refilledAt } = refillBucket(budget, bucket, {
        requests: 0,
        nowAt: 20_000_000 - backMs,
      });

      expect(tokens).toBe(bucket.tokens);
      expect(refilledAt).toBe(20_000_000 - backMs);
    }),
  );
});
