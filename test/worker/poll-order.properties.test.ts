import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Polled } from '../../packages/worker/src/queue/results/poll-order.ts';
import { PollOrder } from '../../packages/worker/src/queue/results/poll-order.ts';

const polled = (index: number, isKept: boolean): Polled => ({ id: `${index}`, isKept, polls: 0, dueAt: 0 });

const sizes = fc.integer({ min: 1, max: 40 });
const counts = fc.integer({ min: 1, max: 200 });

describe('PollOrder', () => {
  it('returns at most as many runs as fit into a call, and none of them twice', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 100 }), sizes, (runs, size) => {
        const order = new PollOrder<Polled>();
        for (const [index, [isKept, isSubscribed]] of runs.entries())
          order.add(polled(index, isKept), { now: 0, isSubscribed });
        order.notify();

        const entries = order.next(0, size);

        expect(entries.length).toBe(Math.min(size, runs.length));
        expect(new Set(entries).size).toBe(entries.length);
      }),
    );
  });

  it('returns every kept run within as many notifications as they fill halves of calls', () => {
    fc.assert(
      fc.property(counts, sizes, (count, size) => {
        const order = new PollOrder<Polled>();
        for (let index = 0; index < count; index += 1)
          order.add(polled(index, true), { now: 0, isSubscribed: true });
        const seen = new Set<string>();

        for (let poll = 0; poll <= Math.ceil(count / Math.ceil(size / 2)); poll += 1) {
          order.notify();
          const entries = order.next(0, size);
          for (const { id } of entries) seen.add(id);
          order.notePoll(entries, { now: 0, keptEnded: 0 });
        }

        expect(seen.size).toBe(count);
      }),
    );
  });

  it('is due again within a second while a run is left, and never immediately without a notification', () => {
    fc.assert(
      fc.property(counts, fc.boolean(), (count, isKept) => {
        const order = new PollOrder<Polled>();
        for (let index = 0; index < count; index += 1)
          order.add(polled(index, isKept), { now: 0, isSubscribed: false });
        let now = 0;

        for (let poll = 0; poll < 40; poll += 1) {
          const entries = order.next(now, 1_000);
          expect(entries).toHaveLength(count);
          order.notePoll(entries, { now, keptEnded: 0 });
          const dueInMs = order.nextDueAt() - now;
          expect(dueInMs).toBeGreaterThan(0);
          expect(dueInMs).toBeLessThanOrEqual(1_000);
          now += dueInMs;
        }
      }),
    );
  });

  it('completes its round after one notification, however many runs wait and whatever was polled before', () => {
    fc.assert(
      fc.property(counts, sizes, fc.nat({ max: 50 }), (count, size, emptyPolls) => {
        const order = new PollOrder<Polled>();
        for (let index = 0; index < count; index += 1)
          order.add(polled(index, true), { now: 0, isSubscribed: true });
        let now = 0;
        for (let poll = 0; poll < emptyPolls; poll += 1) {
          now = order.nextDueAt();
          order.notePoll(order.next(now, size), { now, keptEnded: 0 });
        }
        const seen = new Set<string>();

        order.notify();
        for (const until = now + 20 * count; now <= until; now = Math.max(now, order.nextDueAt())) {
          const entries = order.next(now, size);
          for (const { id } of entries) seen.add(id);
          order.notePoll(entries, { now, keptEnded: 0 });
        }

        expect(seen.size).toBe(count);
      }),
    );
  });
});
