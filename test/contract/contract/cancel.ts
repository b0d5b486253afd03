import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS } from '../../support/broker-scene.ts';

/** What `cancel` does to a run, wherever it stands. */
export function describeCancel(scene: Scene): void {
  describe('cancel', () => {
    it('cancels a waiting run at once', async () => {
      await scene.submit('a', 'b', 'c');

      const answers = await scene.broker.cancel(['b']);

      const run = await scene.read('b');
      expect(answers).toEqual(['cancelled']);
      expect(run).toMatchObject({ state: 'cancelled', epoch: 0 });
      expect(run.endedAt).toBeGreaterThan(0);
      expect(await scene.claimIds()).toEqual(['a', 'c']);
    });

    it('cancels the first and the last of a lane', async () => {
      await scene.submit('a', 'b', 'c');

      await scene.broker.cancel(['a', 'c']);
      await scene.submit('d');

      expect(await scene.claimIds()).toEqual(['b', 'd']);
    });

    it('cancels a scheduled run at once', async () => {
      const now = await scene.now();
      await scene.submit(
        { id: 'a', runAt: now + 1 },
        { id: 'b', runAt: now + 2 },
        { id: 'c', runAt: now + 3 },
      );

      const answers = await scene.broker.cancel(['b', 'a']);

      await scene.advance(10);
      expect(answers).toEqual(['cancelled', 'cancelled']);
      expect(await scene.claimIds()).toEqual(['c']);
      expect(await scene.broker.audit()).toMatchObject({ scheduled: 0, ended: { cancelled: 2 } });
    });

    it('leaves word for the worker of a started run, which goes on', async () => {
      await scene.start('a');

      const answers = await scene.broker.cancel(['a']);

      expect(answers).toEqual(['requested']);
      expect(await scene.read('a')).toMatchObject({ state: 'started', epoch: 1, isCancelRequested: true });
      expect(await scene.broker.cancel(['a'])).toEqual(['requested']);
    });

    it('comes too late for a run that ended', async () => {
      await scene.submit('a');
      await scene.broker.cancel(['a']);

      expect(await scene.broker.cancel(['a'])).toEqual(['ended']);
    });

    it('answers a whole batch in order', async () => {
      await scene.start({ id: 'started', lane: 'm' });
      await scene.submit('waiting', { id: 'scheduled', delayMs: LONG_MS });

      const ids = ['nobody', 'scheduled', 'started', 'waiting', 'waiting'];

      expect(await scene.broker.cancel(ids)).toEqual([
        'gone',
        'cancelled',
        'requested',
        'cancelled',
        'ended',
      ]);
      expect(await scene.broker.cancel([])).toEqual([]);
    });
  });
}
