import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** Which runs a cleaner finds. */
export function describeFindExpired(scene: Scene): void {
  const find = async (limit: number): Promise<readonly string[]> =>
    (await scene.broker.findExpired(limit)).map(({ id }) => id);

  describe('findExpired', () => {
    it('finds started runs whose lease ran out, as they are but for their payloads', async () => {
      const run = await scene.start({ id: 'a', payload: '[7]' }, { leaseMs: SHORT_MS });
      const early = await find(10);
      await scene.start('b', { leaseMs: LONG_MS });
      await scene.submit('waiting');
      await scene.advance(PASS_MS);

      const found = await scene.broker.findExpired(10);

      expect(early).toEqual([]);
      expect(found).toEqual([{ ...run, payload: '' }]);
    });

    it('finds those that ran out longest ago first, and no more than its limit', async () => {
      await scene.submit('a', 'b', 'c');
      const ends = new Map<string, number>();
      for (const leaseMs of [SHORT_MS, SHORT_MS / 2, 1]) {
        for (const { run, leaseUntil } of await scene.claim({ limit: 1, leaseMs }))
          ends.set(run.id, leaseUntil);
      }
      await scene.advance(PASS_MS);

      // On a server the claims take their time: when the leases end is what they said.
      const inOrder = [...ends].sort(([, left], [, right]) => left - right).map(([id]) => id);
      expect(inOrder).toHaveLength(3);
      expect(await find(10)).toEqual(inOrder);
      expect(await find(2)).toEqual(inOrder.slice(0, 2));
      expect(await find(0)).toEqual([]);
    });

    it('finds them by when they end, whatever claim they came from and however they were extended', async () => {
      await scene.submit('a', 'b', 'c', 'd');
      const [a] = await scene.claim({ limit: 2, leaseMs: 1 });
      await scene.claim({ limit: 2, leaseMs: SHORT_MS / 2 });
      const beats = await scene.broker.heartbeat([{ id: a?.run.id ?? '', epoch: 1 }], SHORT_MS);
      await scene.advance(PASS_MS);

      expect(beats).toEqual(['ok']);
      expect(await find(10)).toEqual(['b', 'c', 'd', 'a']);
      expect(await find(1)).toEqual(['b']);
      expect(await find(3)).toEqual(['b', 'c', 'd']);
    });

    it('finds a run whose worker claimed much since, and whose settlement was refused', async () => {
      const run = await scene.start('a', { leaseMs: SHORT_MS });
      const at = await scene.now();
      const answers = await scene.settle(settlementOf(run, { type: 'stall', at }, { onlyIfExpired: true }));
      for (const id of ['b', 'c', 'd', 'e', 'f']) {
        const other = await scene.start(id);
        await scene.settle(settlementOf(other, { type: 'complete', at }));
      }
      await scene.advance(PASS_MS);

      expect(answers).toEqual(['fenced']);
      expect(await find(10)).toEqual(['a']);
    });

    it('finds them again until somebody settles them', async () => {
      const run = await scene.start('a', { leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);
      const twice = [await find(10), await find(10)];

      await scene.settle(
        settlementOf(run, { type: 'stall', at: await scene.now() }, { onlyIfExpired: true }),
      );

      expect(twice).toEqual([['a'], ['a']]);
      expect(await find(10)).toEqual([]);
      expect((await scene.read('a')).state).toBe('stalled');
    });

    it('finds a run anew whose next lease runs out', async () => {
      const run = await scene.start('a', { leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);
      const at = await scene.now();
      const events = [
        { type: 'stall', at },
        { type: 'recover', at, runAt: at },
      ] as const;
      await scene.settle(settlementOf(run, events, { onlyIfExpired: true }));
      await scene.claim({ leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);

      expect((await scene.broker.findExpired(10)).map(({ epoch, stalls }) => [epoch, stalls])).toEqual([
        [2, 1],
      ]);
    });
  });
}
