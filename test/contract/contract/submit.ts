import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';

/** What `submit` does. */
export function describeSubmit(scene: Scene): void {
  describe('submit', () => {
    it('keeps a run that waits in its lane', async () => {
      const payload = '{"to":"ada"}';

      const answers = await scene.broker.submit([{ id: 'a', lane: 'mail@1', payload }]);

      const now = await scene.now();
      const run = await scene.read('a');
      expect(answers).toEqual(['created']);
      expect(run).toMatchObject({ id: 'a', lane: 'mail@1', payload, state: 'submitted', errors: [] });
      expect(run).toMatchObject({
        epoch: 0,
        failures: 0,
        stalls: 0,
        releases: 0,
        rateLimits: 0,
        redrives: 0,
      });
      expect(run.submittedAt).toBeLessThanOrEqual(now);
      expect(run.firstStartedAt).toBeUndefined();
      expect(run.endedAt).toBeUndefined();
    });

    it('answers exists to an id that it keeps, and leaves that run as it is', async () => {
      await scene.submit({ id: 'a', payload: '1' });

      const answers = await scene.broker.submit([{ id: 'a', lane: 'other', payload: '2' }]);

      expect(answers).toEqual(['exists']);
      expect(await scene.read('a')).toMatchObject({ lane: 'l', payload: '1' });
      expect(await scene.broker.audit()).toMatchObject({ created: 1, submitted: 1 });
    });

    it('keeps the first of two runs with one id in one batch, and answers in order', async () => {
      const answers = await scene.broker.submit([
        { id: 'a', lane: 'l', payload: '1' },
        { id: 'b', lane: 'l', payload: '2' },
        { id: 'a', lane: 'l', payload: '3' },
        { id: 'c', lane: 'l', payload: '4' },
      ]);

      expect(answers).toEqual(['created', 'created', 'exists', 'created']);
      expect((await scene.read('a')).payload).toBe('1');
    });

    it('answers exists to the id of a run that is started, and of one that ended', async () => {
      const started = await scene.start('a');
      const whileStarted = await scene.broker.submit([{ id: 'a', lane: 'l', payload: '2' }]);
      await scene.broker.cancel(['a']);
      await scene.submit('b');
      await scene.broker.cancel(['b']);

      const answers = await scene.broker.submit([{ id: 'b', lane: 'l', payload: '2' }]);

      expect(whileStarted).toEqual(['exists']);
      expect(answers).toEqual(['exists']);
      expect((await scene.read('a')).epoch).toBe(started.epoch);
    });

    it('keeps the concurrency of a run', async () => {
      const concurrency = { key: 'k', limit: 2, whenFull: 'wait' } as const;

      await scene.submit({ id: 'a', concurrency });

      expect((await scene.read('a')).concurrency).toEqual(concurrency);
    });

    it('takes an empty batch', async () => {
      expect(await scene.broker.submit([])).toEqual([]);
    });
  });
}
