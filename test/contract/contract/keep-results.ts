import type { Submission } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { BrokerHarness, KeepOptions, Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS, useScene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** Results that are kept for callers who wait, by brokers that keep no other. */
export function describeKeepResults(open: (options: KeepOptions) => Promise<BrokerHarness>): void {
  const scene = useScene(() => open({ keepCompleted: 0 }));

  describe('a result that is kept', () => {
    it('outlives its run until it is collected', async () => {
      await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'complete');
      await end(scene, { id: 'other' }, 'complete');
      await untilForgotten(scene, 'other');

      const [looked] = await scene.broker.get(['a']);
      const [collected] = await scene.broker.get(['a'], { collect: true });

      expect(looked).toMatchObject({ state: 'completed', result: '"done"' });
      expect(collected).toMatchObject({ state: 'completed', result: '"done"' });
      await untilForgotten(scene, 'a');
    });

    it('is collected without an answer, and nothing else with it', async () => {
      await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'complete');
      await end(scene, { id: 'b', keepResultMs: LONG_MS }, 'complete');
      await scene.submit({ id: 'waiting', keepResultMs: LONG_MS });

      await scene.broker.get(['a', 'a', 'waiting', 'unknown'], { collect: true, answer: 'none' });

      await untilForgotten(scene, 'a');
      expect(await scene.broker.get(['b', 'waiting'])).toMatchObject([
        { id: 'b', result: '"done"' },
        { id: 'waiting', state: 'submitted' },
      ]);
    });

    it.each(['cancel', 'drop'] as const)('outlives a run that ended by %s', async (type) => {
      await end(scene, { id: 'a', keepResultMs: LONG_MS }, type);
      await end(scene, { id: 'other' }, type);
      await untilForgotten(scene, 'other');

      expect(await scene.broker.get(['a'])).toMatchObject([{ id: 'a' }]);
    });

    it('outlives a run that was cancelled before it started', async () => {
      await scene.submit({ id: 'a', keepResultMs: LONG_MS }, 'other');
      await scene.broker.cancel(['a', 'other']);
      await untilForgotten(scene, 'other');

      expect(await scene.broker.get(['a'])).toMatchObject([{ state: 'cancelled' }]);
    });

    it('outlives a run whose failure is disposable', async () => {
      const run = await scene.start({ id: 'a', keepResultMs: LONG_MS });
      const settlement = settlementOf(run, { type: 'fail', at: await scene.now() });
      await scene.settle({ ...settlement, next: { ...settlement.next, isDisposable: true } });
      await end(scene, { id: 'other' }, 'complete');
      await untilForgotten(scene, 'other');

      expect(await scene.broker.get(['a'], { collect: true })).toMatchObject([{ state: 'failed' }]);
      await untilForgotten(scene, 'a');
    });

    it('is forgotten once its time is over, collected or not', async () => {
      await end(scene, { id: 'a', keepResultMs: SHORT_MS }, 'complete');
      await scene.advance(PASS_MS);

      await untilForgotten(scene, 'a');
    });

    it('is not collected before its run has ended', async () => {
      await scene.submit({ id: 'a', keepResultMs: LONG_MS });
      const [waiting] = await scene.broker.get(['a'], { collect: true });
      const [claimed] = await scene.claim();
      const [started] = await scene.broker.get(['a'], { collect: true });
      if (claimed === undefined) throw new Error('it was to be claimed');
      await scene.settle(settlementOf(claimed.run, { type: 'complete', at: await scene.now() }));
      await end(scene, { id: 'other' }, 'complete');
      await untilForgotten(scene, 'other');

      expect([waiting?.state, started?.state]).toEqual(['submitted', 'started']);
      expect(await scene.broker.get(['a'])).toMatchObject([{ state: 'completed' }]);
    });

    it('makes no difference to a dead letter, which is kept and redriven as ever', async () => {
      await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'fail');
      await scene.broker.get(['a'], { collect: true });
      await end(scene, { id: 'other' }, 'complete');
      await untilForgotten(scene, 'other');

      expect(await scene.broker.redrive(['a'])).toEqual(['redriven']);
      const [again] = await scene.claim();
      if (again === undefined) throw new Error('it was to be claimed');
      await scene.settle(settlementOf(again.run, { type: 'complete', at: await scene.now() }));
      await end(scene, { id: 'another' }, 'complete');
      await untilForgotten(scene, 'another');
      expect(await scene.broker.get(['a'])).toMatchObject([{ state: 'completed' }]);
    });

    it('is found by list, counted by audit, answered exists, and can be discarded', async () => {
      await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'complete');

      expect(await scene.broker.list({ state: 'completed', limit: 10 })).toMatchObject([{ id: 'a' }]);
      expect(await scene.broker.audit()).toMatchObject({ ended: { completed: 1 }, forgotten: 0 });
      expect(await scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}' }])).toEqual(['exists']);
      expect(await scene.broker.discard(['a'])).toEqual(['discarded']);
      expect(await scene.broker.get(['a'])).toEqual([undefined]);
      expect(await scene.broker.audit()).toMatchObject({ ended: { completed: 0 }, forgotten: 1 });
    });

    it.each([1e300, Infinity])('may be kept for %d ms', async (keepResultMs) => {
      await end(scene, { id: 'a', keepResultMs }, 'complete');
      await end(scene, { id: 'other' }, 'complete');
      await untilForgotten(scene, 'other');

      expect(await scene.broker.get(['a'], { collect: true })).toMatchObject([{ id: 'a' }]);
      await untilForgotten(scene, 'a');
    });

    it('is kept no longer than others for 0 ms', async () => {
      await end(scene, { id: 'a', keepResultMs: 0 }, 'complete');

      await untilForgotten(scene, 'a');
    });
  });
}

async function end(
  scene: Scene,
  submission: Partial<Submission> & { readonly id: string },
  type: 'complete' | 'fail' | 'cancel' | 'drop',
): Promise<void> {
  const run = await scene.start(submission);
  const at = await scene.now();
  await scene.settle(settlementOf(run, { type, at }, type === 'complete' ? { result: '"done"' } : {}));
}

/** Completes others until the run is forgotten: when exactly retention passes by is each broker's own. */
export async function untilForgotten(scene: Scene, id: string): Promise<void> {
  for (let step = 0; step < 100; step += 1) {
    const [kept] = await scene.broker.get([id]);
    if (kept === undefined) return;
    await end(scene, { id: `passing-${id}-${step}`, lane: 'passing' }, 'complete');
    await scene.advance(10);
  }
  throw new Error(`run ${id} is still kept`);
}
