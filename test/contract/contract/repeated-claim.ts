import type { ClaimedRun } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** A claim whose reply was lost is asked for again (fault F5): it gets the same and costs nothing. */
export function describeRepeatedClaim(scene: Scene): void {
  describe('repeated claim', () => {
    it('gets the same runs and epochs, and charges nothing', async () => {
      await scene.submit('a', 'b', 'c');
      const first = await scene.claim({ requestId: 'lost', limit: 2 });

      const second = await scene.claim({ requestId: 'lost', limit: 2 });

      expect(epochs(second)).toEqual({ a: 1, b: 1 });
      expect(epochs(second)).toEqual(epochs(first));
      expect(await scene.read('a')).toMatchObject({ state: 'started', epoch: 1, stalls: 0, releases: 0 });
      expect(await scene.read('c')).toMatchObject({ state: 'submitted', epoch: 0 });
      expect(await scene.broker.audit()).toMatchObject({ started: 2, submitted: 1 });
    });

    it('gets the same when one of the runs was settled meanwhile', async () => {
      await scene.submit('a', 'b');
      const [first] = await scene.claim({ requestId: 'lost' });
      if (first) await scene.settle(settlementOf(first.run, { type: 'complete', at: await scene.now() }));

      const again = await scene.claim({ requestId: 'lost' });

      expect(epochs(again)).toEqual({ a: 1, b: 1 });
      expect(await scene.read('a')).toMatchObject({ state: 'completed', epoch: 1 });
      expect(await scene.broker.audit()).toMatchObject({ started: 1, ended: { completed: 1 } });
    });

    it('does not start a run anew that was released meanwhile', async () => {
      const run = await scene.start('a', { requestId: 'lost' });
      await scene.settle(settlementOf(run, { type: 'release', at: await scene.now() }));

      const again = await scene.claim({ requestId: 'lost' });

      expect(epochs(again)).toEqual({ a: 1 });
      expect(await scene.read('a')).toMatchObject({ state: 'submitted', epoch: 1 });
    });

    it('settles what stands beside it all the same', async () => {
      const run = await scene.start('a', { requestId: 'first' });
      await scene.submit('b');
      const settle = [settlementOf(run, { type: 'complete', at: await scene.now() })];
      const claim = { worker: 'w', requestId: 'lost', limit: 9, lanes: new Map([['l', 9]]), leaseMs: 9_000 };
      await scene.broker.settleAndClaim({ settle, claim });

      const again = await scene.broker.settleAndClaim({ settle, claim });

      expect(again.settled).toEqual(['already']);
      expect(epochs(again.claimed)).toEqual({ b: 1 });
    });

    it('holds for the two claims that a worker has under way', async () => {
      await scene.submit('a', 'b');
      await scene.claim({ requestId: 'one', limit: 1 });
      await scene.claim({ requestId: 'two', limit: 1 });

      expect(epochs(await scene.claim({ requestId: 'one', limit: 1 }))).toEqual({ a: 1 });
      expect(epochs(await scene.claim({ requestId: 'two', limit: 1 }))).toEqual({ b: 1 });
    });

    it('is a claim of its own when another worker asks by the same id', async () => {
      await scene.submit('a', 'b');
      await scene.claim({ worker: 'w1', requestId: 'one', limit: 1 });

      const other = await scene.claim({ worker: 'w2', requestId: 'one', limit: 1 });

      expect(epochs(other)).toEqual({ b: 1 });
    });

    it('says again which runs were over their limit', async () => {
      const concurrency = { key: 'k', limit: 1, whenFull: 'claim' } as const;
      await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency });
      const first = await scene.claim({ requestId: 'lost' });

      const again = await scene.claim({ requestId: 'lost' });

      expect(first.map(({ isOverLimit }) => isOverLimit)).toEqual([false, true]);
      expect(again.map(({ isOverLimit }) => isOverLimit)).toEqual([false, true]);
    });
  });
}

function epochs(claimed: readonly ClaimedRun[]): Record<string, number> {
  return Object.fromEntries(claimed.map(({ run }) => [run.id, run.epoch]));
}
