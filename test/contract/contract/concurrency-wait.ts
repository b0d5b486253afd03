import type { Concurrency, Run } from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

const one: Concurrency = { key: 'k', limit: 1, whenFull: 'wait' };

/** Runs whose full key keeps them in their lane. */
export function describeConcurrencyWait(scene: Scene): void {
  const complete = async (...runs: readonly (Run | undefined)[]): Promise<void> => {
    const at = await scene.now();
    const known = runs.filter((run) => run !== undefined);
    await scene.settle(...known.map((run) => settlementOf(run, { type: 'complete', at })));
  };

  describe('a concurrency key that waits', () => {
    it('starts no more runs of a key than its limit', async () => {
      const concurrency = { ...one, limit: 2 };
      await scene.submit(...['a', 'b', 'c', 'd'].map((id) => ({ id, concurrency })));

      expect(await scene.claimIds()).toEqual(['a', 'b']);
      expect(await scene.claimIds()).toEqual([]);
      expect(await scene.broker.audit()).toMatchObject({ started: 2, submitted: 2 });
    });

    it('holds across workers and lanes', async () => {
      await scene.submit({ id: 'a', concurrency: one }, { id: 'b', lane: 'm', concurrency: one });
      await scene.claim({ worker: 'w1' });

      expect(await scene.claimIds({ worker: 'w2', lanes: ['m', 'l'] })).toEqual([]);
      expect((await scene.read('b')).state).toBe('submitted');
    });

    it('does not hold up runs of other keys, or of none', async () => {
      const other = { ...one, key: 'other' };
      await scene.submit({ id: 'a', concurrency: one }, { id: 'b', concurrency: one });
      await scene.submit({ id: 'c', concurrency: other }, 'd', { id: 'e', concurrency: other });

      expect(await scene.claimIds()).toEqual(['a', 'c', 'd']);
      expect(await scene.claimIds({ limit: 1 })).toEqual([]);
    });

    it('is filled up to the limit of the claim past runs that must wait', async () => {
      await scene.submit({ id: 'a', concurrency: one }, { id: 'b', concurrency: one }, 'c', 'd');

      expect(await scene.claimIds({ limit: 2 })).toEqual(['a', 'c']);
    });

    it('lets the runs that waited go first, in their order, when the key is free', async () => {
      await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: one })), 'd', 'e');
      const first = await scene.claim({ limit: 2 });
      await complete(first[0]?.run);

      const second = await scene.claim({ limit: 1 });
      await complete(second[0]?.run);
      const third = await scene.claimIds();

      expect(first.map(({ run }) => run.id)).toEqual(['a', 'd']);
      expect(second.map(({ run }) => run.id)).toEqual(['b']);
      expect(third).toEqual(['c', 'e']);
    });

    it('keeps the order when several starts are free at once, or one after another', async () => {
      const concurrency = { ...one, limit: 2 };
      await scene.submit(...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, concurrency })), 'z');
      const [a, b] = await scene.claim({ limit: 3 });
      await complete(a?.run, b?.run);
      const [c, d] = await scene.claim();
      await complete(c?.run);
      await complete(d?.run);

      expect([c?.run.id, d?.run.id]).toEqual(['c', 'd']);
      expect(await scene.claimIds()).toEqual(['e', 'f']);
    });

    it.each<[string, (at: number) => readonly RunEvent[]]>([
      ['complete', (at) => [{ type: 'complete', at }]],
      ['retry', (at) => [{ type: 'retry', at, runAt: at + LONG_MS }]],
      ['fail', (at) => [{ type: 'fail', at }]],
      ['stall', (at) => [{ type: 'stall', at }]],
      [
        'stall and recover',
        (at) => [
          { type: 'stall', at },
          { type: 'recover', at, runAt: at + LONG_MS },
        ],
      ],
      [
        'stall and give up',
        (at) => [
          { type: 'stall', at },
          { type: 'giveUp', at },
        ],
      ],
      ['cancel', (at) => [{ type: 'cancel', at }]],
      ['drop', (at) => [{ type: 'drop', at }]],
      ['limit', (at) => [{ type: 'limit', at }]],
      ['limit for later', (at) => [{ type: 'limit', at, runAt: at + LONG_MS }]],
    ])('is free again after %s', async (_name, events) => {
      const run = await scene.start({ id: 'a', concurrency: one });
      await scene.submit({ id: 'b', concurrency: one });
      const full = await scene.claimIds();

      await scene.settle(settlementOf(run, events(await scene.now())));

      expect(full).toEqual([]);
      expect(await scene.claimIds()).toEqual(['b']);
    });

    it('goes to the released run itself, which is next', async () => {
      const run = await scene.start({ id: 'a', concurrency: one });
      await scene.submit({ id: 'b', concurrency: one });
      await scene.claim();

      await scene.settle(settlementOf(run, { type: 'release', at: await scene.now() }));

      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('is freed once by a settlement that is repeated', async () => {
      const run = await scene.start({ id: 'a', concurrency: one });
      await scene.submit(...['b', 'c'].map((id) => ({ id, concurrency: one })));
      const settlement = settlementOf(run, { type: 'complete', at: await scene.now() });

      await scene.settle(settlement, settlement);
      await scene.settle(settlement);

      expect(await scene.claimIds()).toEqual(['b']);
    });

    it('is not freed by a fenced settlement', async () => {
      const run = await scene.start({ id: 'a', concurrency: one });
      await scene.submit({ id: 'b', concurrency: one });
      const stale = { ...settlementOf(run, { type: 'complete', at: await scene.now() }), epoch: 9 };

      await scene.settle(stale);

      expect(await scene.claimIds()).toEqual([]);
    });

    it('is freed when a silent worker is cleaned up after, and stays so when that one speaks', async () => {
      const zombie = await scene.start({ id: 'a', concurrency: one }, { leaseMs: SHORT_MS });
      await scene.submit(...['b', 'c'].map((id) => ({ id, concurrency: one })));
      await scene.advance(PASS_MS);
      const at = await scene.now();
      await scene.settle(settlementOf(zombie, { type: 'stall', at }, { onlyIfExpired: true }));
      const next = await scene.claimIds();

      await scene.settle(settlementOf(zombie, { type: 'complete', at }));

      expect(next).toEqual(['b']);
      expect(await scene.claimIds()).toEqual([]);
    });

    it('lets go of runs that are cancelled while they wait for it', async () => {
      const run = await scene.start({ id: 'a', concurrency: one });
      await scene.submit(...['b', 'c', 'd'].map((id) => ({ id, concurrency: one })));
      await scene.claim();
      const waiting = await scene.broker.cancel(['b']);
      await complete(run);
      const next = await scene.broker.cancel(['c']);

      expect(waiting).toEqual(['cancelled']);
      expect(next).toEqual(['cancelled']);
      expect(await scene.claimIds()).toEqual(['d']);
    });

    it('is not kept busy by a lane that nobody works on', async () => {
      const run = await scene.start({ id: 'a', concurrency: one });
      await scene.submit({ id: 'old', lane: 'old', concurrency: one }, { id: 'b', concurrency: one });
      await scene.claim({ lanes: ['old', 'l'] });
      await complete(run);

      expect(await scene.claimIds({ lanes: ['l'] })).toEqual(['b']);
      expect(await scene.claimIds({ lanes: ['old'] })).toEqual([]);
    });

    it('is charged nothing by a claim that is asked for again', async () => {
      await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: { ...one, limit: 2 } })));
      await scene.claim({ requestId: 'lost', limit: 1 });
      await scene.claim({ requestId: 'lost', limit: 1 });

      expect(await scene.claimIds()).toEqual(['b']);
    });

    it('keeps the order of a released run that meets the full key before one that waited', async () => {
      await scene.submit({ id: 'a', concurrency: one }, 'b', { id: 'waited', concurrency: one });
      const first = await scene.claim();
      const at = await scene.now();
      await scene.settle(...first.map(({ run }) => settlementOf(run, { type: 'release', at })));
      const other = await scene.start({ id: 'other', lane: 'm', concurrency: one });
      const passing = await scene.claimIds({ limit: 1 });
      await complete(other);

      expect(passing).toEqual(['b']);
      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('keeps the order of runs with different limits', async () => {
      const run = await scene.start({ id: 'a', concurrency: { ...one, limit: 2 } });
      const other = await scene.start({ id: 'b', concurrency: { ...one, limit: 2 } });
      await scene.submit({ id: 'c', concurrency: one }, { id: 'd', concurrency: { ...one, limit: 2 } });
      await scene.claim();
      await complete(run, other);

      expect(await scene.claimIds()).toEqual(['c', 'd']);
    });

    it('holds each run to its own limit', async () => {
      await scene.submit({ id: 'a', concurrency: one }, { id: 'b', concurrency: one });
      await scene.submit({ id: 'c', concurrency: { ...one, limit: 2 } });

      expect(await scene.claimIds()).toEqual(['a', 'c']);
    });
  });
}
