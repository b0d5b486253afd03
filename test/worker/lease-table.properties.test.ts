import type { HeartbeatRequest } from '@retry/core/broker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// Not exported by the package: one thread writes it, another reads it.
import type { LeaseChunk, LeaseHolder } from '../../packages/worker/src/lease/lease-table.ts';
import { LeaseTable, readLeases } from '../../packages/worker/src/lease/lease-table.ts';

/** Ids as queues accept them, and some that are longer, as a broker by itself accepts them. */
const ids = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }),
    fc.string({ unit: 'binary-ascii', minLength: 500, maxLength: 520 }),
    fc.string({ unit: 'grapheme', minLength: 400, maxLength: 4_000 }),
  )
  .map((id) => id.replaceAll('\0', '0'));

const epoch = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const lease = fc.record({ id: ids, epoch });
const usualLease = fc.record({ id: fc.uuid(), epoch });

const changes = fc.array(
  fc.oneof(
    fc.record({ claimed: fc.array(lease, { maxLength: 5 }) }),
    fc.record({ claimed: fc.array(usualLease, { minLength: 50, maxLength: 150, size: 'max' }) }),
    fc.record({ end: fc.array(fc.nat(), { maxLength: 120, size: 'max' }) }),
  ),
  { maxLength: 15, size: 'max' },
);

const holderOf = (run: HeartbeatRequest): LeaseHolder => ({ run, leaseChunk: undefined, leaseIndex: 0 });

const sorted = (leases: readonly HeartbeatRequest[]): readonly string[] =>
  leases.map(({ id, epoch }) => `${epoch} ${id}`).sort();

describe('LeaseTable', () => {
  it('has just the leases that were added and not removed, in memory that was announced', () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const announced: LeaseChunk[] = [];
        const table = new LeaseTable((chunk) => announced.push(chunk));
        const held: LeaseHolder[] = [];
        for (const step of steps) {
          if ('claimed' in step) {
            const claimed = step.claimed.map(holderOf);
            table.add(claimed);
            held.push(...claimed);
          } else {
            for (const which of step.end) {
              const [ended] = held.splice(which % Math.max(held.length, 1), 1);
              if (ended !== undefined) table.remove(ended);
            }
          }

          expect(sorted(readLeases(announced))).toEqual(sorted(held.map(({ run }) => run)));
        }

        expect(table.chunks).toEqual(announced);
      }),
    );
  });

  it('uses the memory of ended leases again', () => {
    const table = new LeaseTable(() => {});
    for (let round = 0; round < 10_000; round += 1) {
      const holder = holderOf({ id: `run-${round}`, epoch: 1 });
      table.add([holder]);
      table.remove(holder);
    }

    expect(table.chunks).toHaveLength(1);
  });

  it('has a few chunks for very many leases one after another, some of which last', () => {
    const table = new LeaseTable(() => {});
    const running: LeaseHolder[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const holder = holderOf({ id: `0199c0de-7a2b-7abc-8def-0123456${10_000 + round}`, epoch: 1 });
      table.add([holder]);
      running.push(holder);
      const [ended] = running.length > 200 ? running.splice((round * 7) % 200, 1) : [];
      if (ended !== undefined) table.remove(ended);
    }

    expect(table.chunks.length).toBeLessThan(50);
  });

  it('ignores the second removal of a lease', () => {
    const table = new LeaseTable(() => {});
    const [one, other] = [holderOf({ id: 'one', epoch: 1 }), holderOf({ id: 'other', epoch: 1 })];
    table.add([one, other]);

    table.remove(one);
    table.remove(one);

    expect(readLeases(table.chunks)).toEqual([other.run]);
  });
});
