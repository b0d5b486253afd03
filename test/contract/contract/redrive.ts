import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What sends dead letters back. */
export function describeRedrive(scene: Scene): void {
  const fail = async (id: string): Promise<void> => {
    const first = await scene.start(id);
    const at = await scene.now();
    await scene.settle(settlementOf(first, { type: 'retry', at, runAt: at }));
    const [second] = await scene.claim();
    const errors = [1, 2].map((epoch) => ({ epoch, at, name: 'Error', message: `no. ${epoch}` }));
    if (!second) throw new Error('the retry was to be claimed');
    await scene.settle(settlementOf(second.run, { type: 'fail', at }, { errors, previousDelayMs: 5 }));
  };

  describe('redrive', () => {
    it.each(['fail', 'stall', 'limit'] as const)('sends a run back to its lane after %s', async (type) => {
      const run = await scene.start('a');
      await scene.settle(settlementOf(run, { type, at: await scene.now() }));

      const answers = await scene.broker.redrive(['a']);

      expect(answers).toEqual(['redriven']);
      expect(await scene.read('a')).toMatchObject({ state: 'submitted', redrives: 1 });
      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('counts attempts anew, and goes on counting epochs', async () => {
      await fail('a');

      await scene.broker.redrive(['a']);

      const run = await scene.read('a');
      const fresh = {
        epoch: 2,
        resetEpoch: 2,
        failures: 0,
        stalls: 0,
        releases: 0,
        rateLimits: 0,
        errors: [],
      };
      expect(run).toMatchObject(fresh);
      expect(run.previousDelayMs).toBeUndefined();
      expect((await scene.claim())[0]?.run.epoch).toBe(3);
    });

    it('goes on counting attempts when asked to keep them', async () => {
      await fail('a');
      const { errors } = await scene.read('a');

      await scene.broker.redrive(['a'], { keepAttempts: true });

      const kept = { epoch: 2, resetEpoch: 0, failures: 2, redrives: 1, errors, previousDelayMs: 5 };
      expect(await scene.read('a')).toMatchObject(kept);
    });

    it('puts runs at the back of their lanes, in the order asked', async () => {
      await scene.submit('a', 'b');
      const claimed = await scene.claim();
      const at = await scene.now();
      await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type: 'fail', at })));
      await scene.submit('c');

      await scene.broker.redrive(['b', 'a']);

      expect(await scene.claimIds()).toEqual(['c', 'b', 'a']);
    });

    it('refuses a run that waits, is started, or ended otherwise', async () => {
      const completed = await scene.start('completed');
      const dropped = await scene.start('dropped');
      const at = await scene.now();
      await scene.settle(settlementOf(completed, { type: 'complete', at }));
      await scene.settle(settlementOf(dropped, { type: 'drop', at }));
      await scene.start('started');
      await scene.submit('cancelled', 'waiting', { id: 'scheduled', delayMs: 60_000 });
      await scene.broker.cancel(['cancelled']);
      const ids = ['completed', 'dropped', 'started', 'cancelled', 'waiting', 'scheduled'];
      const before = await scene.broker.get(ids);

      const answers = await scene.broker.redrive(ids);

      expect(answers).toEqual(ids.map(() => 'refused'));
      expect(await scene.broker.get(ids)).toEqual(before);
    });

    it('answers a whole batch in order, and one run once', async () => {
      await fail('a');

      expect(await scene.broker.redrive(['nobody', 'a', 'a'])).toEqual(['gone', 'redriven', 'refused']);
      expect(await scene.broker.redrive([])).toEqual([]);
      expect(await scene.claimIds()).toEqual(['a']);
    });
  });
}
