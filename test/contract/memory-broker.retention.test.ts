import type { SubmitAnswer } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import type { Scene } from '../support/broker-scene.ts';
import { useScene } from '../support/broker-scene.ts';
import { settlementOf } from '../support/settle.ts';

function sceneKeeping(count?: number): Scene {
  return useScene(async () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock, keepCompleted: { count } });
    return { broker, advance: clock.advance, close: broker.close };
  });
}

async function end(
  scene: Scene,
  type: 'complete' | 'fail' | 'drop',
  ...ids: readonly string[]
): Promise<void> {
  await scene.submit(...ids);
  const claimed = await scene.claim();
  const at = await scene.now();
  await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type, at })));
}

describe('createMemoryBroker', () => {
  describe('with keepCompleted', () => {
    const scene = sceneKeeping(2);

    it('forgets the oldest of the completed, cancelled and dropped runs', async () => {
      await end(scene, 'complete', 'a', 'b');
      await end(scene, 'drop', 'c');
      await scene.submit('d');
      await scene.broker.cancel(['d']);

      const kept = await scene.broker.get(['a', 'b', 'c', 'd']);

      expect(kept.map((run) => run?.state)).toEqual([undefined, undefined, 'dropped', 'cancelled']);
      expect(await scene.broker.audit()).toMatchObject({ created: 4, forgotten: 2 });
    });

    it('keeps dead letters without limit', async () => {
      await end(scene, 'fail', 'a', 'b', 'c', 'd');

      expect((await scene.broker.list({ state: 'failed', limit: 10 })).runs).toHaveLength(4);
      expect(await scene.broker.audit()).toMatchObject({ forgotten: 0, ended: { failed: 4 } });
    });

    it('forgets a disposable dead letter like a completed run, and redrives it until then', async () => {
      await scene.submit('a', 'b', 'c', 'd');
      const claimed = await scene.claim();
      const at = await scene.now();
      const settlements = claimed.map(({ run }) => settlementOf(run, { type: 'fail', at }));
      await scene.settle(
        ...settlements.map((one) => ({ ...one, next: { ...one.next, isDisposable: true } })),
      );

      expect(await scene.broker.redrive(['a', 'c'])).toEqual(['gone', 'redriven']);
      expect((await scene.broker.list({ state: 'failed', limit: 10 })).runs).toMatchObject([{ id: 'd' }]);
      expect(await scene.broker.audit()).toMatchObject({ forgotten: 2, submitted: 1, ended: { failed: 1 } });
    });

    it('answers gone to a settlement that is repeated after its run was forgotten', async () => {
      const run = await scene.start('a');
      const settlement = settlementOf(run, { type: 'complete', at: await scene.now() });
      await scene.settle(settlement);
      await end(scene, 'complete', 'b', 'c');

      expect(await scene.settle(settlement)).toEqual(['gone']);
    });
  });

  describe('with keys that are kept for an hour', () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock, keepCompleted: { count: 0 }, keepKeys: '1h' });
    const submit = (id: string, more = {}): Promise<readonly SubmitAnswer[]> =>
      broker.submit([{ id, lane: 'l', payload: '{}', keyed: true, ...more }]);

    it('keeps each key for an hour after the end of its run, in whatever order the runs were forgotten', async () => {
      await submit('read late', { keepResultMs: 60_000 });
      await broker.cancel(['read late']);
      await clock.advance(1_000);
      await submit('forgotten first');
      await broker.cancel(['forgotten first']);
      await broker.get(['read late'], { collect: true });

      await clock.advance(3_599_000);

      expect(await submit('read late')).toEqual(['created']);
      expect(await submit('forgotten first')).toEqual(['exists']);
      await clock.advance(1_000);
      expect(await submit('forgotten first')).toEqual(['created']);
    });
  });

  describe('by default', () => {
    const scene = sceneKeeping();

    it('keeps the latest 1000', async () => {
      const ids = Array.from({ length: 1_001 }, (_, index) => `run-${index}`);
      await end(scene, 'complete', ...ids);

      expect(await scene.broker.get(['run-0', 'run-1'])).toMatchObject([undefined, { state: 'completed' }]);
      expect(await scene.broker.audit()).toMatchObject({ forgotten: 1, ended: { completed: 1_000 } });
    });
  });

  describe('with keepCompleted 0', () => {
    const scene = sceneKeeping(0);

    it('forgets a run as soon as it is completed', async () => {
      await end(scene, 'complete', 'a');

      expect(await scene.broker.get(['a'])).toEqual([undefined]);
    });
  });

  describe('given a settlement that ends no claim', () => {
    const scene = sceneKeeping();

    it('rejects the batch before anything is written', async () => {
      const run = await scene.start('a');
      await scene.submit('b');
      const [other] = await scene.claim();
      const at = await scene.now();
      const good = settlementOf(run, { type: 'complete', at });
      const bad = settlementOf(other?.run ?? run, { type: 'heartbeat', at });

      await expect(scene.settle(good, bad)).rejects.toThrow('run b leads to started');
      expect((await scene.read('a')).state).toBe('started');
    });
  });
});
