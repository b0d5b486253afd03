import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// Not exported by the package: it runs in a thread of its own.
import { StandIn } from '../../packages/worker/src/lease/stand-in.ts';

interface Stage {
  readonly leaseMs: number;
  readonly maxBlockMs?: number;
  readonly answers?: Readonly<Record<string, HeartbeatAnswer>>;
  /** Numbers of calls that reject. */
  readonly failing?: readonly number[];
}

function stage({ leaseMs, maxBlockMs = 60_000, answers = {}, failing = [] }: Stage) {
  const sent: { readonly at: number; readonly ids: readonly string[] }[] = [];
  const seen = { answers: [] as unknown[], errors: 0, givenUp: [] as HeartbeatRequest[][] };
  const leases: HeartbeatRequest[] = [];
  let turns = 0;
  let now = 0;
  const standIn = new StandIn({
    leaseMs,
    maxBlockMs,
    turns: () => turns,
    leases: () => leases,
    heartbeat: async (beats) => {
      sent.push({ at: now, ids: beats.map(({ id }) => id) });
      if (failing.includes(sent.length)) throw new Error('down');
      return beats.map(({ id }) => answers[id] ?? 'ok');
    },
    onAnswers: (changed) => seen.answers.push(...changed),
    onError: () => {
      seen.errors += 1;
    },
    onGiveUp: (runs) => seen.givenUp.push([...runs]),
  });
  const tickAt = (at: number): Promise<void> => {
    now = at;
    return standIn.tick(at);
  };
  return {
    ...{ leases, sent, seen, tickAt },
    turn: () => {
      turns += 1;
    },
  };
}

const lease = (id: string, epoch = 1): HeartbeatRequest => ({ id, epoch });

describe('StandIn', () => {
  it('sends nothing while the event loop turns', async () => {
    const { leases, sent, turn, tickAt } = stage({ leaseMs: 6_000 });
    leases.push(lease('a'));

    for (let at = 0; at < 60_000; at += 900) {
      turn();
      await tickAt(at);
    }

    expect(sent).toEqual([]);
  });

  it('begins after a sixth of a lease and sends three heartbeats a lease', async () => {
    const { leases, sent, tickAt } = stage({ leaseMs: 6_000 });
    leases.push(lease('a'));

    for (let at = 0; at <= 9_000; at += 500) await tickAt(at);

    expect(sent.map(({ at }) => at)).toEqual([1_000, 3_000, 5_000, 7_000, 9_000]);
  });

  it('sends a heartbeat that failed again by the next tick', async () => {
    const { leases, sent, seen, tickAt } = stage({ leaseMs: 6_000, failing: [1, 2] });
    leases.push(lease('a'));

    for (let at = 0; at <= 3_000; at += 500) await tickAt(at);

    expect(sent.map(({ at }) => at)).toEqual([1_000, 1_500, 2_000]);
    expect(seen.errors).toBe(2);
  });

  it('gives up once, after maxBlock, and begins again when the loop has turned', async () => {
    const { leases, sent, seen, turn, tickAt } = stage({ leaseMs: 600, maxBlockMs: 1_000 });
    leases.push(lease('a'));

    for (let at = 0; at <= 3_000; at += 100) await tickAt(at);
    const sentBefore = sent.length;
    turn();
    for (let at = 3_100; at <= 3_400; at += 100) await tickAt(at);

    expect(sent.slice(0, sentBefore).every(({ at }) => at <= 1_000)).toBe(true);
    expect(seen.givenUp).toEqual([[lease('a')]]);
    expect(sent.length).toBeGreaterThan(sentBefore);
  });

  it('reports cancel requests, and asks no more about leases that were lost', async () => {
    const answers = { b: 'cancel', c: 'fenced', d: 'gone' } as const;
    const { leases, sent, seen, tickAt } = stage({ leaseMs: 600, answers });
    leases.push(lease('a'), lease('b'), lease('c'), lease('d'));

    for (let at = 0; at <= 300; at += 100) await tickAt(at);

    expect(seen.answers.slice(0, 3)).toEqual([
      { id: 'b', epoch: 1, answer: 'cancel' },
      { id: 'c', epoch: 1, answer: 'fenced' },
      { id: 'd', epoch: 1, answer: 'gone' },
    ]);
    expect(sent.map(({ ids }) => ids)).toEqual([
      ['a', 'b', 'c', 'd'],
      ['a', 'b'],
    ]);
  });

  it('asks again about a lost lease once the loop has turned', async () => {
    const { leases, sent, turn, tickAt } = stage({ leaseMs: 600, answers: { a: 'gone' } });
    leases.push(lease('a'), lease('b'));

    await tickAt(0);
    await tickAt(100);
    await tickAt(300);
    turn();
    await tickAt(400);
    await tickAt(600);

    expect(sent.map(({ ids }) => ids)).toEqual([['a', 'b'], ['b'], ['a', 'b']]);
  });

  it('says nothing of an endless loop without leases', async () => {
    const { seen, tickAt } = stage({ leaseMs: 600, maxBlockMs: 1_000 });

    for (let at = 0; at <= 3_000; at += 100) await tickAt(at);

    expect(seen.givenUp).toEqual([]);
  });

  it('sends 2 500 leases in three calls', async () => {
    const { leases, sent, tickAt } = stage({ leaseMs: 600 });
    leases.push(...Array.from({ length: 2_500 }, (_, index) => lease(`${index}`)));

    for (let at = 0; at <= 100; at += 100) await tickAt(at);

    expect(sent.map(({ ids }) => ids.length)).toEqual([1_000, 1_000, 500]);
  });

  it('lets no lease lapse in a block up to maxBlock, whenever it begins and however ticks come', async () => {
    const gaps = fc.array(fc.double({ min: 0.2, max: 1.5, noNaN: true }), { minLength: 20, maxLength: 200 });
    const leaseLengths = fc.integer({ min: 12, max: 3_600_000 });

    await fc.assert(
      fc.asyncProperty(
        leaseLengths,
        gaps,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (leaseMs, ticks, age) => {
          const { leases, sent, seen, tickAt } = stage({ leaseMs, maxBlockMs: 8 * leaseMs });
          leases.push(lease('a'));
          // The loop's own latest heartbeat is up to a third of a lease old when the block begins at 0.
          let renewedAt = (-age * leaseMs) / 3;
          let at = 0;
          await tickAt(at);

          for (const gap of ticks) {
            at += (gap * leaseMs) / 12; // a tick each twelfth of a lease, early and late
            const before = sent.length;
            await tickAt(at);
            if (seen.givenUp.length > 0) break;
            expect(at - renewedAt).toBeLessThan(leaseMs);
            if (sent.length > before) renewedAt = at;
          }
          if (seen.givenUp.length > 0) expect(at).toBeGreaterThan(8 * leaseMs);
        },
      ),
    );
  });
});
