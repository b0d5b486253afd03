import type { Submission } from '@retry/core/broker';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** `keepResultMs` on a broker that keeps no other completed run. */
export const keepResultsCases: CasesByName = {
  'keepResultMs keeps a completed run until its result is collected': async (scene) => {
    await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'complete');
    await end(scene, { id: 'other' }, 'complete');
    await untilForgotten(scene, 'other');

    const [uncollected] = await scene.broker.get(['a']);
    const [collected] = await scene.broker.get(['a'], { collect: true });

    matches(uncollected, { state: 'completed', result: '"done"' });
    matches(collected, { state: 'completed', result: '"done"' });
    await untilForgotten(scene, 'a');
  },

  'keepResultMs ends for the collected runs only, also without an answer': async (scene) => {
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

  'keepResultMs keeps a run that was ended by': /* @__PURE__ */ each(
    () => ['cancel', 'drop'] as const,
    async (scene, type) => {
      await end(scene, { id: 'a', keepResultMs: LONG_MS }, type);
      await end(scene, { id: 'other' }, type);
      await untilForgotten(scene, 'other');

      matches(await scene.broker.get(['a']), [{ id: 'a' }]);
    },
  ),

  'keepResultMs keeps a run that was cancelled before it started': async (scene) => {
    await scene.submit({ id: 'a', keepResultMs: LONG_MS }, 'other');
    await cancelRuns(scene.broker, ['a', 'other']);
    await untilForgotten(scene, 'other');

    matches(await scene.broker.get(['a']), [{ state: 'cancelled' }]);
  },

  'keepResultMs keeps a failed run that is disposable': async (scene) => {
    const run = await scene.start({ id: 'a', keepResultMs: LONG_MS });
    await scene.settle(settlementOf(run, { type: 'fail', at: await scene.now() }, { isDisposable: true }));
    await end(scene, { id: 'other' }, 'complete');
    await untilForgotten(scene, 'other');

    matches(await scene.broker.get(['a'], { collect: true }), [{ state: 'failed' }]);
    await untilForgotten(scene, 'a');
  },

  'keepResultMs ends after that long, collected or not': async (scene) => {
    await end(scene, { id: 'a', keepResultMs: SHORT_MS }, 'complete');
    await scene.advance(PASS_MS);

    await untilForgotten(scene, 'a');
  },

  'keepResultMs is not ended by a collect before the run has ended': async (scene) => {
    await scene.submit({ id: 'a', keepResultMs: LONG_MS });
    const [waiting] = await scene.broker.get(['a'], { collect: true });
    const [claimed] = await scene.claim();
    const [started] = await scene.broker.get(['a'], { collect: true });
    await scene.settleNow('complete', claimed);
    await end(scene, { id: 'other' }, 'complete');
    await untilForgotten(scene, 'other');

    equal([waiting?.state, started?.state], ['submitted', 'started']);
    matches(await scene.broker.get(['a']), [{ state: 'completed' }]);
  },

  'keepResultMs changes nothing for a dead letter, and applies to its redrive': async (scene) => {
    await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'fail');
    await scene.broker.get(['a'], { collect: true });
    await end(scene, { id: 'other' }, 'complete');
    await untilForgotten(scene, 'other');

    equal(await redriveRuns(scene.broker, ['a']), ['redriven']);
    await scene.settleNow('complete', await scene.claimOne());
    await end(scene, { id: 'another' }, 'complete');
    await untilForgotten(scene, 'another');
    matches(await scene.broker.get(['a']), [{ state: 'completed' }]);
  },

  'keepResultMs keeps a run that can be listed, counted and discarded': async (scene) => {
    await end(scene, { id: 'a', keepResultMs: LONG_MS }, 'complete');

    matches((await scene.broker.list({ state: 'completed', limit: 10 })).runs, [{ id: 'a' }]);
    matches(await scene.broker.audit(), { ended: { completed: 1 }, forgotten: 0 });
    equal(await scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]), ['exists']);
    equal(await discardRuns(scene.broker, ['a']), ['discarded']);
    equal(await scene.broker.get(['a']), [undefined]);
    matches(await scene.broker.audit(), { ended: { completed: 0 }, forgotten: 1 });
  },

  'keepResultMs can be %s': /* @__PURE__ */ each(
    () => [1e300, Infinity],
    async (scene, keepResultMs) => {
      await end(scene, { id: 'a', keepResultMs }, 'complete');
      await end(scene, { id: 'other' }, 'complete');
      await untilForgotten(scene, 'other');

      matches(await scene.broker.get(['a'], { collect: true }), [{ id: 'a' }]);
      await untilForgotten(scene, 'a');
    },
  ),

  'keepResultMs of 0 keeps a run no longer than others': async (scene) => {
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

/** Completes other runs until the run is forgotten: each broker decides when it applies retention. */
export async function untilForgotten(scene: CaseScene, id: string): Promise<void> {
  for (let step = 0; step < 100; step += 1) {
    const [kept] = await scene.broker.get([id]);
    if (kept === undefined) return;
    await end(scene, { id: `passing-${id}-${step}`, lane: 'passing' }, 'complete');
    await scene.advance(10);
  }
  throw new Error(`run ${id} is still kept`);
}
