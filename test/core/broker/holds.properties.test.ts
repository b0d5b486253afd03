import { MAX_INSTANT_AT } from '@retry/core';
import type { Hold, HoldRequest } from '@retry/core/broker';
import {
  compareHolds,
  hasHoldEnded,
  holdOf,
  isHoldActive,
  outlasts,
  probedHold,
} from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const nows = fc.nat({ max: 4_000_000_000_000 });
const instants = fc.oneof(
  nows,
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -1, Infinity, -Infinity, 1e300),
);
const requests: fc.Arbitrary<HoldRequest> = fc.record(
  {
    ...{ lane: fc.constantFrom('a', 'b', 'é'), reason: fc.string(), by: fc.string() },
    source: fc.constantFrom('operator', 'handler', 'circuit-breaker'),
    ...{
      until: instants,
      forMs: instants,
      probeMs: fc.double({ min: Number.MIN_VALUE, max: 1e300, noNaN: true }),
    },
  },
  { requiredKeys: ['source'] },
);

describe('holdOf', () => {
  it('ends at the later of both, never early but at the last instant, in whole milliseconds', () => {
    fc.assert(
      fc.property(requests, nows, (request, now) => {
        const { until, forMs } = request;
        const hold = holdOf(request, now);

        expect(hold.until === undefined).toBe(until === undefined && forMs === undefined);
        if (hold.until === undefined) return;
        expect(Number.isInteger(hold.until)).toBe(true);
        expect(hold.until).toBeGreaterThanOrEqual(0);
        expect(hold.until).toBeLessThanOrEqual(MAX_INSTANT_AT);
        for (const end of [until ?? 0, forMs === undefined ? 0 : now + forMs])
          expect(hold.until).toBeGreaterThanOrEqual(Math.min(end, MAX_INSTANT_AT));
        if (forMs !== undefined) expect(hold.until).toBeGreaterThanOrEqual(now);
      }),
    );
  });

  it('keeps lane, source and notes, began now, and has no key that is undefined', () => {
    fc.assert(
      fc.property(requests, nows, (request, now) => {
        const hold = holdOf(request, now);

        const { lane, source, reason, by } = request;
        expect([hold.lane, hold.source, hold.reason, hold.by]).toEqual([lane, source, reason, by]);
        expect(hold.heldAt).toBe(now);
        expect(Object.values(hold)).not.toContain(undefined);
      }),
    );
  });
});

const holds: fc.Arbitrary<Hold> = fc.tuple(requests, nows).map(([request, now]) => holdOf(request, now));

describe('probedHold', () => {
  it('is active from now on for at least probeMs, and never ends before it is resumed', () => {
    fc.assert(
      fc.property(holds, nows, nows, (hold, now, later) => {
        const probed = probedHold(hold, now);

        if (hold.probeMs === undefined) {
          expect(probed).toEqual(hold);
          return;
        }
        expect(isHoldActive(probed, now)).toBe(true);
        expect(probed.until).toBeGreaterThanOrEqual(Math.min(now + hold.probeMs, MAX_INSTANT_AT));
        expect(hasHoldEnded(probed, later)).toBe(false);
      }),
    );
  });
});

describe('outlasts', () => {
  it('is true exactly when there is no end, or a later one', () => {
    fc.assert(
      fc.property(holds, holds, (hold, other) => {
        const ends = [hold, other].map(({ until }) => until ?? Infinity) as [number, number];

        expect(outlasts(hold, other)).toBe(ends[0] === Infinity || ends[0] > ends[1]);
      }),
    );
  });
});

describe('compareHolds', () => {
  it('puts those of all lanes first, then by lane and source', () => {
    fc.assert(
      fc.property(fc.array(holds), (all) => {
        const keys = [...all]
          .sort(compareHolds)
          .map(({ lane, source }) => `${lane === undefined ? 0 : 1} ${lane ?? ''} ${source}`);

        expect(keys).toEqual([...keys].sort());
      }),
    );
  });
});
