import type { Submission } from '@retry/core/broker';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Results that are kept for callers who wait, by brokers that keep no other. */
export const keepResultsCases: CasesByName = {
  'a result that is kept outlives its run until it is collected': async (scene) => {
    await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'complete');
    await end(scene, { id: 'other' }, 'complete');
    await untilForgotten(scene, 'other');

    const [looked] = await scene.broker.get(['a']);
    const [collected] = await scene.broker.get(['a'], { collect: true });

    matches(looked, { state: 'completed', result: '"done"' });
    matches(collected, { state: 'completed', result: '"done"' });
    await untilForgotten(scene, 'a');
  },

  'a result that is kept is collected without an answer, and nothing else with it': async (scene) => {
    await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'complete');
    await end(scene, { id: 'b', keepResultMs: LONG_MS }, 'complete');
    await scene.submit({ id: 'waiting', keepResultMs: LONG_MS });

    await scene.broker.get(['a', 'a', 'waiting', 'unknown'], { collect: true, answer: 'none' });

    await untilForgotten(scene, 'a');
    matches(await scene.broker.get(['b', 'waiting']), [
      { id: 'b', result: '"done"' },
      { id: 'waiting', state: 'submitted' },
    ]);
  },

  'a result that is kept outlives a run that ended by': /* @__PURE__ */ each(
    ['cancel', 'drop'] as const,
    async (scene, type) => {
      await end(scene, { id: 'a', keepResultMs: LONG_MS }, type);
      await end(scene, { id: 'other' }, type);
      await untilForgotten(scene, 'other');

      matches(await scene.broker.get(['a']), [{ id: 'a' }]);
    },
  ),

  'a result that is kept outlives a run that was cancelled before it started': async (scene) => {
    await scene.submit({ id: 'a', keepResultMs: LONG_MS }, 'other');
    await scene.broker.cancel(['a', 'other']);
    await untilForgotten(scene, 'other');

    matches(await scene.broker.get(['a']), [{ state: 'cancelled' }]);
  },

  'a result that is kept outlives a run whose failure is disposable': async (scene) => {
    const run = await scene.start({ id: 'a', keepResultMs: LONG_MS });
    const settlement = settlementOf(run, { type: 'fail', at: await scene.now() });
    await scene.settle({ ...settlement, next: { ...settlement.next, isDisposable: true } });
    await end(scene, { id: 'other' }, 'complete');
    await untilForgotten(scene, 'other');

    matches(await scene.broker.get(['a'], { collect: true }), [{ state: 'failed' }]);
    await untilForgotten(scene, 'a');
  },

  'a result that is kept is forgotten once its time is over, collected or not': async (scene) => {
    await end(scene, { id: 'a', keepResultMs: SHORT_MS }, 'complete');
    await scene.advance(PASS_MS);

    await untilForgotten(scene, 'a');
  },

  'a result that is kept is not collected before its run has ended': async (scene) => {
    await scene.submit({ id: 'a', keepResultMs: LONG_MS });
    const [waiting] = await scene.broker.get(['a'], { collect: true });
    const [claimed] = await scene.claim();
    const [started] = await scene.broker.get(['a'], { collect: true });
    if (claimed === undefined) throw new Error('it was to be claimed');
    await scene.settle(settlementOf(claimed.run, { type: 'complete', at: await scene.now() }));
    await end(scene, { id: 'other' }, 'complete');
    await untilForgotten(scene, 'other');

    equal([waiting?.state, started?.state], ['submitted', 'started']);
    matches(await scene.broker.get(['a']), [{ state: 'completed' }]);
  },

  'a result that is kept makes no difference to a dead letter, which is kept and redriven as ever': async (
    scene,
  ) => {
    await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'fail');
    await scene.broker.get(['a'], { collect: true });
    await end(scene, { id: 'other' }, 'complete');
    await untilForgotten(scene, 'other');

    equal(await scene.broker.redrive(['a']), ['redriven']);
    const [again] = await scene.claim();
    if (again === undefined) throw new Error('it was to be claimed');
    await scene.settle(settlementOf(again.run, { type: 'complete', at: await scene.now() }));
    await end(scene, { id: 'another' }, 'complete');
    await untilForgotten(scene, 'another');
    matches(await scene.broker.get(['a']), [{ state: 'completed' }]);
  },

  'a result that is kept is found by list, counted by audit, answered exists, and can be discarded': async (
    scene,
  ) => {
    await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'complete');

    matches(await scene.broker.list({ state: 'completed', limit: 10 }), [{ id: 'a' }]);
    matches(await scene.broker.audit(), { ended: { completed: 1 }, forgotten: 0 });
    equal(await scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]), ['exists']);
    equal(await scene.broker.discard(['a']), ['discarded']);
    equal(await scene.broker.get(['a']), [undefined]);
    matches(await scene.broker.audit(), { ended: { completed: 0 }, forgotten: 1 });
  },

  'a result that is kept may be kept for %s ms': /* @__PURE__ */ each(
    [1e300, Infinity],
    async (scene, keepResultMs) => {
      await end(scene, { id: 'a', keepResultMs }, 'complete');
      await end(scene, { id: 'other' }, 'complete');
      await untilForgotten(scene, 'other');

      matches(await scene.broker.get(['a'], { collect: true }), [{ id: 'a' }]);
      await untilForgotten(scene, 'a');
    },
  ),

  'a result that is kept is kept no longer than others for 0 ms': async (scene) => {
    await end(scene, { id: 'a', keepResultMs: 0 }, 'complete');

    await untilForgotten(scene, 'a');
  },
};

async function end(
  scene: CaseScene,
  submission: Partial<Submission> & { readonly id: string },
  type: 'complete' | 'fail' | 'cancel' | 'drop',
): Promise<void> {
  const run = await scene.start(submission);
  const at = await scene.now();
  await scene.settle(settlementOf(run, { type, at }, type === 'complete' ? { result: '"done"' } : {}));
}

/** Completes others until the run is forgotten: when exactly retention passes by is each broker's own. */
export async function untilForgotten(scene: CaseScene, id: string): Promise<void> {
  for (let step = 0; step < 100; step += 1) {
    const [kept] = await scene.broker.get([id]);
    if (kept === undefined) return;
    await end(scene, { id: `passing-${id}-${step}`, lane: 'passing' }, 'complete');
    await scene.advance(10);
  }
  throw new Error(`run ${id} is still kept`);
}
