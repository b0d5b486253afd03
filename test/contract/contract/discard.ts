import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What forgets runs. */
export function describeDiscard(scene: Scene): void {
  describe('discard', () => {
    it.each(['complete', 'fail', 'stall', 'cancel', 'drop', 'limit'] as const)(
      'forgets a run that ended by %s',
      async (type) => {
        const run = await scene.start('a');
        await scene.settle(settlementOf(run, { type, at: await scene.now() }));

        const answers = await scene.broker.discard(['a']);

        expect(answers).toEqual(['discarded']);
        expect(await scene.broker.get(['a'])).toEqual([undefined]);
        expect(await scene.broker.audit()).toMatchObject({ created: 1, forgotten: 1, unbalanced: 0 });
      },
    );

    it('refuses a run that has not ended, and answers in order', async () => {
      await scene.start({ id: 'started', lane: 'm' });
      await scene.submit('waiting', { id: 'scheduled', delayMs: 60_000 }, 'ended');
      await scene.broker.cancel(['ended']);

      const answers = await scene.broker.discard([
        'started',
        'ended',
        'waiting',
        'scheduled',
        'nobody',
        'ended',
      ]);

      expect(answers).toEqual(['refused', 'discarded', 'refused', 'refused', 'gone', 'gone']);
      expect(await scene.broker.discard([])).toEqual([]);
      expect(await scene.broker.audit()).toMatchObject({
        submitted: 1,
        scheduled: 1,
        started: 1,
        forgotten: 1,
      });
    });

    it('leaves the id free for another run', async () => {
      await scene.submit('a');
      await scene.broker.cancel(['a']);
      await scene.broker.discard(['a']);

      expect(await scene.broker.submit([{ id: 'a', lane: 'l', payload: '2' }])).toEqual(['created']);
      expect(await scene.read('a')).toMatchObject({ state: 'submitted', payload: '2', epoch: 0 });
      expect(await scene.broker.audit()).toMatchObject({ created: 2, submitted: 1, forgotten: 1 });
    });
  });
}
