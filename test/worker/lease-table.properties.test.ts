import type { HeartbeatRequest } from '@retry/core/broker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// Not exported by the package: one thread writes it, another reads it.
import type { LeaseChunk, LeaseSlot } from '../../packages/worker/src/lease/lease-table.ts';
import { LeaseTable, readLeases } from '../../packages/worker/src/lease/lease-table.ts';

/** Ids as queues accept them, and some that are longer, as a broker by itself accepts them. */
const ids = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }),
  fc.string({ unit: 'binary-ascii', minLength: 500, maxLength: 520 }),
  fc.string({ unit: 'grapheme', minLength: 400, maxLength: 2_000 }),
);

const changes = fc.array(
  fc.oneof(
    fc.record({ id: ids, epoch: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) }),
    fc.record({ end: fc.nat() }),
  ),
  { maxLength: 300, size: 'max' },
);

const sorted = (leases: readonly HeartbeatRequest[]): readonly string[] =>
  leases.map(({ id, epoch }) => `${epoch} ${id}`).sort();

describe('LeaseTable', () => {
  it('has just the leases that were added and not removed, in memory that was announced', () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const announced: LeaseChunk[] = [];
        const table = new LeaseTable((chunk) => announced.push(chunk));
        const held: { readonly lease: HeartbeatRequest; readonly slot: LeaseSlot }[] = [];
        for (const step of steps) {
          if ('id' in step) {
            held.push({ lease: step, slot: table.add(step) });
          } else if (held.length > 0) {
            const [ended] = held.splice(step.end % held.length, 1);
            if (ended !== undefined) table.remove(ended.slot);
          }
        }

        expect(sorted(readLeases(announced))).toEqual(sorted(held.map(({ lease }) => lease)));
        expect(table.chunks).toEqual(announced);
      }),
    );
  });

  it('uses the memory of ended leases again', () => {
    const table = new LeaseTable(() => {});
    for (let round = 0; round < 10_000; round += 1) {
      table.remove(table.add({ id: `run-${round}`, epoch: 1 }));
    }

    expect(table.chunks).toHaveLength(1);
  });
});
