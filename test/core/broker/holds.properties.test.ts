import { MAX_INSTANT_AT } from '@retry/core';
import type { Hold, HoldRequest, Note } from '@retry/core/broker';
import { isNoteKept, probedHold, writtenNote } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareHolds,
  isHoldActive,
  readHold,
  writeHold,
} from '../../../packages/core/src/broker/kit/holds.ts';

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

/** The note that a broker keeps of a hold. */
function noteOf(request: HoldRequest, now: number): Note {
  const { value, ...write } = writeHold(request);
  return writtenNote({ ...write, value: value ?? '' }, 1, now);
}

function holdOf(request: HoldRequest, now: number): Hold {
  const hold = readHold(noteOf(request, now));
  if (hold === undefined) throw new Error('the note is no hold');
  return hold;
}

describe('the note of a hold', () => {
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
        for (const end of [until ?? 0, forMs === undefined || forMs <= 0 ? 0 : now + forMs])
          expect(hold.until).toBeGreaterThanOrEqual(Math.min(end, MAX_INSTANT_AT));
        if (forMs !== undefined && forMs > 0) expect(hold.until).toBeGreaterThanOrEqual(now);
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

const holds = fc.tuple(requests, nows).map(([request, now]) => holdOf(request, now));
const notes = fc.tuple(requests, nows).map(([request, now]) => noteOf(request, now));

describe('probedHold', () => {
  it('is active from now on for at least probeMs, and never ends before it is resumed', () => {
    fc.assert(
      fc.property(notes, nows, nows, (hold, now, later) => {
        const probed = probedHold(hold, now);

        if (hold.probeMs === undefined) {
          expect(probed).toEqual(hold);
          return;
        }
        expect(isHoldActive(probed, now)).toBe(true);
        expect(probed.expiresAt).toBeGreaterThanOrEqual(Math.min(now + hold.probeMs, MAX_INSTANT_AT));
        expect(isNoteKept(probed, later)).toBe(true);
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
