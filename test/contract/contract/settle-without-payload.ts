import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { PASS_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;

/** A cleaner has runs without their payloads: what never changes is not taken from a settlement. */
export function describeSettleWithoutPayload(scene: Scene): void {
  const settleFound = async (...types: readonly ('stall' | 'recover' | 'giveUp')[]): Promise<void> => {
    const at = await scene.now();
    const found = await scene.broker.findExpired(10);
    const events = types.map((type) => (type === 'recover' ? { type, at, runAt: at } : { type, at }));
    const settled = await scene.settle(
      ...found.map((run) => settlementOf(run, events, { onlyIfExpired: true })),
    );
    expect(settled).toEqual(found.map(() => 'ok'));
  };

  describe('a settlement without the payload', () => {
    it.each([
      [['stall'], 'stalled'],
      [['stall', 'recover'], 'submitted'],
      [['stall', 'giveUp'], 'failed'],
    ] as const)('keeps payload, lane and concurrency by %j', async (types, state) => {
      await scene.start({ id: 'a', payload: '"kept"', concurrency }, { leaseMs: 1 });
      await scene.advance(PASS_MS);

      await settleFound(...types);

      expect(await scene.read('a')).toMatchObject({ state, lane: 'l', payload: '"kept"', concurrency });
    });

    it('gives the payload to the next claim', async () => {
      await scene.start({ id: 'a', payload: '"kept"' }, { leaseMs: 1 });
      await scene.advance(PASS_MS);
      await settleFound('stall', 'recover');

      const [again] = await scene.claim();

      expect(again?.run).toMatchObject({ id: 'a', epoch: 2, payload: '"kept"' });
    });

    it('gives it back by a redrive', async () => {
      await scene.start({ id: 'a', payload: '"kept"' }, { leaseMs: 1 });
      await scene.advance(PASS_MS);
      await settleFound('stall');

      await scene.broker.redrive(['a']);

      expect((await scene.claim())[0]?.run).toMatchObject({ id: 'a', payload: '"kept"' });
    });

    it('frees the concurrency key once, whatever it says of it', async () => {
      const run = await scene.start({ id: 'a', concurrency });
      await scene.submit({ id: 'b', concurrency }, { id: 'c', concurrency });
      const { concurrency: _, ...changed } = settlementOf(run, {
        type: 'complete',
        at: await scene.now(),
      }).next;
      const next = { ...changed, payload: '', lane: 'elsewhere' };

      const settled = await scene.settle({ id: 'a', epoch: 1, event: 'complete', next });

      expect(settled).toEqual(['ok']);
      expect(await scene.read('a')).toMatchObject({ lane: 'l', payload: '{}', concurrency });
      expect(await scene.claimIds()).toEqual(['b']);
    });
  });
}
