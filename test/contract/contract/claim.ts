import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What a claim gets. */
export function describeClaim(scene: Scene): void {
  describe('claim', () => {
    it('starts runs in the order of their submission', async () => {
      await scene.submit('c', 'a');
      await scene.submit('b');

      expect(await scene.claimIds()).toEqual(['c', 'a', 'b']);
    });

    it('gives a started run with its first epoch and its lease', async () => {
      await scene.submit({ id: 'a', payload: '[1]' });
      const before = await scene.now();

      const [claimed] = await scene.claim();

      const now = await scene.now();
      expect(claimed?.run).toMatchObject({ id: 'a', payload: '[1]', state: 'started', epoch: 1 });
      expect(claimed?.isOverLimit).toBe(false);
      expect(claimed?.run.firstStartedAt).toBeGreaterThanOrEqual(before);
      expect(claimed?.leaseUntil).toBeGreaterThanOrEqual(before + LONG_MS);
      expect(claimed?.leaseUntil).toBeLessThanOrEqual(now + LONG_MS);
      expect(await scene.read('a')).toEqual(claimed?.run);
    });

    it('gives a run to one claim only', async () => {
      await scene.submit('a', 'b', 'c');

      const both = await Promise.all([
        scene.claimIds({ worker: 'w1', limit: 2 }),
        scene.claimIds({ worker: 'w2', limit: 2 }),
      ]);

      expect(both.flat().sort()).toEqual(['a', 'b', 'c']);
    });

    it('takes lanes in the order asked', async () => {
      await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'x' });

      expect(await scene.claimIds({ lanes: ['y', 'x'] })).toEqual(['b', 'a', 'c']);
    });

    it('leaves lanes alone that it does not ask for', async () => {
      await scene.submit({ id: 'a', lane: 'x' });

      expect(await scene.claimIds({ lanes: ['y'] })).toEqual([]);
      expect((await scene.read('a')).state).toBe('submitted');
    });

    it('takes no more from a lane than its limit', async () => {
      await scene.submit('a', 'b', 'c', { id: 'd', lane: 'm' }, { id: 'e', lane: 'm' });

      const ids = await scene.claimIds({
        lanes: [
          ['l', 2],
          ['m', 1],
        ],
      });

      expect(ids).toEqual(['a', 'b', 'd']);
      expect(await scene.claimIds({ lanes: ['l', 'm'] })).toEqual(['c', 'e']);
    });

    it('takes no more in all than its limit, earlier lanes first', async () => {
      await scene.submit('a', 'b', { id: 'c', lane: 'm' }, { id: 'd', lane: 'm' });

      expect(await scene.claimIds({ lanes: ['m', 'l'], limit: 3 })).toEqual(['c', 'd', 'a']);
    });

    it('gives nothing for a limit of 0, for no lanes and from an empty lane', async () => {
      await scene.submit('a');

      expect(await scene.claimIds({ lanes: [['l', 0]] })).toEqual([]);
      expect(await scene.claimIds({ limit: 0 })).toEqual([]);
      expect(await scene.claimIds({ lanes: [] })).toEqual([]);
      expect(await scene.claimIds({ lanes: ['never seen'] })).toEqual([]);
      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('puts a retry that is due at once behind what waits', async () => {
      await scene.submit('a', 'b');
      const [first] = await scene.claim({ limit: 1 });
      const at = await scene.now();

      if (first) await scene.settle(settlementOf(first.run, { type: 'retry', at, runAt: at }));

      expect(await scene.claimIds()).toEqual(['b', 'a']);
    });

    it('settles before it claims, so that one exchange can do both for one run', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const settle = [settlementOf(run, { type: 'retry', at, runAt: at })];
      const lanes = new Map([['l', 1]]);

      const reply = await scene.broker.settleAndClaim({
        settle,
        claim: { worker: 'w', requestId: 'both', limit: 1, lanes, leaseMs: LONG_MS },
      });

      expect(reply.settled).toEqual(['ok']);
      expect(reply.claimed.map((claimed) => claimed.run.epoch)).toEqual([2]);
    });

    it('answers an empty exchange with the time', async () => {
      const first = await scene.broker.settleAndClaim({});
      await scene.advance(5);
      const second = await scene.broker.settleAndClaim({ settle: [] });

      expect(first).toMatchObject({ settled: [], claimed: [] });
      expect(second.now).toBeGreaterThanOrEqual(first.now + 5);
    });
  });
}
