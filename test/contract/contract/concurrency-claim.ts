import type { Concurrency } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

const one: Concurrency = { key: 'k', limit: 1, whenFull: 'claim' };

/** Runs that are handed out although their key is full, for their worker to settle with `limit`. */
export function describeConcurrencyClaim(scene: Scene): void {
  describe('a concurrency key that is claimed over', () => {
    it('hands out what is over the limit, and says so', async () => {
      await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: { ...one, limit: 2 } })));

      const claimed = await scene.claim();

      expect(claimed.map(({ run, isOverLimit }) => [run.id, run.state, isOverLimit])).toEqual([
        ['a', 'started', false],
        ['b', 'started', false],
        ['c', 'started', true],
      ]);
    });

    it('is not held by a run that is over the limit', async () => {
      await scene.submit(...['a', 'b', 'c', 'd'].map((id) => ({ id, concurrency: one })));
      const [first, over] = await scene.claim({ limit: 2 });
      const at = await scene.now();
      if (!first || !over) throw new Error('two runs were to be claimed');

      await scene.settle(settlementOf(first.run, { type: 'complete', at }));
      const [next] = await scene.claim({ limit: 1 });
      await scene.settle(settlementOf(over.run, { type: 'limit', at, runAt: at + LONG_MS }));
      const [last] = await scene.claim({ limit: 1 });

      expect([next?.run.id, next?.isOverLimit]).toEqual(['c', false]);
      expect([last?.run.id, last?.isOverLimit]).toEqual(['d', true]);
      expect(await scene.read('b')).toMatchObject({ state: 'scheduled', releases: 1, rateLimits: 1 });
    });

    it('counts runs of the key that wait for it as well', async () => {
      await scene.submit(
        { id: 'a', concurrency: { ...one, whenFull: 'wait' } },
        { id: 'b', concurrency: one },
      );
      await scene.submit({ id: 'c', concurrency: { ...one, whenFull: 'wait' } });

      const claimed = await scene.claim();

      expect(claimed.map(({ run, isOverLimit }) => [run.id, isOverLimit])).toEqual([
        ['a', false],
        ['b', true],
      ]);
    });
  });
}
