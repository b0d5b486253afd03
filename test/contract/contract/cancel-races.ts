import type { RunEvent } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What comes of a wish to cancel that meets something else (fault F23). */
export function describeCancelRaces(scene: Scene): void {
  describe('races to cancel', () => {
    it('leaves a run completed whose worker had not heard', async () => {
      const run = await scene.start('a');
      await scene.broker.cancel(['a']);

      const answers = await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));

      expect(answers).toEqual(['ok']);
      expect((await scene.read('a')).state).toBe('completed');
    });

    it('lets the worker that heard cancel the run', async () => {
      const run = await scene.start('a');
      await scene.broker.cancel(['a']);

      const answers = await scene.settle(settlementOf(run, { type: 'cancel', at: await scene.now() }));

      expect(answers).toEqual(['ok']);
      expect(await scene.read('a')).toMatchObject({ state: 'cancelled', settledBy: '1:cancel' });
    });

    it.each([
      ['a retry that is due at once', (at: number): RunEvent => ({ type: 'retry', at, runAt: at }), 1],
      ['a retry for later', (at: number): RunEvent => ({ type: 'retry', at, runAt: at + LONG_MS }), 1],
      ['a rate limit', (at: number): RunEvent => ({ type: 'limit', at, runAt: at + LONG_MS }), 0],
      ['a release', (at: number): RunEvent => ({ type: 'release', at }), 0],
    ] as const)('cancels after %s: no further attempt starts', async (_name, event, failures) => {
      const run = await scene.start('a');
      await scene.broker.cancel(['a']);
      const settlement = settlementOf(run, event(await scene.now()));

      const answers = await scene.settle(settlement);

      expect(answers).toEqual(['ok']);
      expect(await scene.read('a')).toMatchObject({ state: 'cancelled', epoch: 1, failures });
      expect(await scene.claimIds()).toEqual([]);
      expect(await scene.settle(settlement)).toEqual(['already']);
    });

    it('cancels a run that a cleaner sends back', async () => {
      await scene.start('a');
      await scene.broker.cancel(['a']);
      const run = await scene.read('a');
      const at = await scene.now();
      const events = [
        { type: 'stall', at },
        { type: 'recover', at, runAt: at },
      ] as const;

      await scene.settle(settlementOf(run, events));

      expect(await scene.read('a')).toMatchObject({ state: 'cancelled', stalls: 1 });
    });

    it('cancels a retry that waits', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      await scene.settle(settlementOf(run, { type: 'retry', at, runAt: at }));

      expect(await scene.broker.cancel(['a'])).toEqual(['cancelled']);
      expect(await scene.claimIds()).toEqual([]);
    });

    it('is forgotten with the claim that it was about: a redrive starts afresh', async () => {
      await scene.start('a');
      await scene.broker.cancel(['a']);
      const asked = await scene.read('a');
      await scene.settle(settlementOf(asked, { type: 'fail', at: await scene.now() }));
      await scene.broker.redrive(['a']);
      const [claimed] = await scene.claim();

      const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 2 }], LONG_MS);

      expect(claimed?.run.epoch).toBe(2);
      expect(answers).toEqual(['ok']);
    });

    it('cancels a redriven run that waits', async () => {
      const run = await scene.start('a');
      await scene.settle(settlementOf(run, { type: 'fail', at: await scene.now() }));
      await scene.broker.redrive(['a']);

      expect(await scene.broker.cancel(['a'])).toEqual(['cancelled']);
      expect(await scene.broker.redrive(['a'])).toEqual(['refused']);
    });

    it('meets a claim before or after it, never in between', async () => {
      await scene.submit('a');

      const [[answer], claimed] = await Promise.all([scene.broker.cancel(['a']), scene.claimIds()]);

      expect([
        { answer: 'cancelled', claimed: [] },
        { answer: 'requested', claimed: ['a'] },
      ]).toContainEqual({ answer, claimed });
    });
  });
}
