import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sought } from '../../packages/worker/src/queue/poll-order.ts';
import { LookingOrder } from '../../packages/worker/src/queue/poll-order.ts';

const sought = (index: number, isKept: boolean): Sought => ({ id: `${index}`, isKept, looks: 0, dueAt: 0 });

const sizes = fc.integer({ min: 1, max: 40 });
const counts = fc.integer({ min: 1, max: 200 });

describe('the order of looking', () => {
  it('gives at most as many as fit into a call, and none twice in it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 100 }), sizes, (runs, size) => {
        const order = new LookingOrder<Sought>();
        for (const [index, [isKept, isHeard]] of runs.entries())
          order.add(sought(index, isKept), { now: 0, isHeard });
        order.notify();

        const entries = order.next(0, size);

        expect(entries.length).toBe(Math.min(size, runs.length));
        expect(new Set(entries).size).toBe(entries.length);
      }),
    );
  });

  it('has given every kept run after so many notifications as there are halves of a call in them', () => {
    fc.assert(
      fc.property(counts, sizes, (count, size) => {
        const order = new LookingOrder<Sought>();
        for (let index = 0; index < count; index += 1)
          order.add(sought(index, true), { now: 0, isHeard: true });
        const seen = new Set<string>();

        for (let look = 0; look <= Math.ceil(count / Math.ceil(size / 2)); look += 1) {
          order.notify();
          const entries = order.next(0, size);
          for (const { id } of entries) seen.add(id);
          order.looked(entries, { now: 0, keptEnded: 0 });
        }

        expect(seen.size).toBe(count);
      }),
    );
  });

  it('is always due again within a second while a run is left, and never at once without cause', () => {
    fc.assert(
      fc.property(counts, fc.boolean(), (count, isKept) => {
        const order = new LookingOrder<Sought>();
        for (let index = 0; index < count; index += 1)
          order.add(sought(index, isKept), { now: 0, isHeard: false });
        let now = 0;

        for (let look = 0; look < 40; look += 1) {
          const entries = order.next(now, 1_000);
          expect(entries).toHaveLength(count);
          order.looked(entries, { now, keptEnded: 0 });
          const dueInMs = order.nextDueAt() - now;
          expect(dueInMs).toBeGreaterThan(0);
          expect(dueInMs).toBeLessThanOrEqual(1_000);
          now += dueInMs;
        }
      }),
    );
  });

  it('completes its round after one notification, however many wait and whatever was noted before', () => {
    fc.assert(
      fc.property(counts, sizes, fc.nat({ max: 50 }), (count, size, vainLooks) => {
        const order = new LookingOrder<Sought>();
        for (let index = 0; index < count; index += 1)
          order.add(sought(index, true), { now: 0, isHeard: true });
        let now = 0;
        for (let look = 0; look < vainLooks; look += 1) {
          now = order.nextDueAt();
          order.looked(order.next(now, size), { now, keptEnded: 0 });
        }
        const seen = new Set<string>();

        order.notify();
        for (const until = now + 20 * count; now <= until; now = Math.max(now, order.nextDueAt())) {
          const entries = order.next(now, size);
          for (const { id } of entries) seen.add(id);
          order.looked(entries, { now, keptEnded: 0 });
        }

        expect(seen.size).toBe(count);
      }),
    );
  });
});
