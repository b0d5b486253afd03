import type { Run } from '@retry/core/broker';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Every way in which run `a` may wait, as the only run that does. Each returns the run as it waits. */
export const WAITING: readonly (readonly [where: string, prepare: (scene: CaseScene) => Promise<Run>])[] = [
  ['in its lane', (scene) => submitted(scene, {})],
  ['on the schedule', (scene) => submitted(scene, { delayMs: LONG_MS })],
  [
    'on the schedule although it is due',
    async (scene) => {
      await submitted(scene, { delayMs: SHORT_MS });
      await scene.advance(PASS_MS);
      return scene.read('a');
    },
  ],
  ['for its concurrency key', (scene) => submittedTo(scene, 'full')],
  ['in its lane again after its concurrency key was full', (scene) => submittedTo(scene, 'free')],
  ['after a release', (scene) => settled(scene, 'release')],
  ['after a retry', (scene) => settled(scene, 'retry')],
  [
    'with a key of the caller and a result that is kept',
    (scene) => submitted(scene, { keyed: true, keepResultMs: LONG_MS }),
  ],
];

async function submitted(
  scene: CaseScene,
  more: { readonly delayMs?: number; readonly keyed?: boolean; readonly keepResultMs?: number },
): Promise<Run> {
  await scene.submit({ id: 'a', ...more });
  return scene.read('a');
}

/** A claim finds the key of run `a` full; it is free again, if asked for. Another lane has the other run. */
async function submittedTo(scene: CaseScene, key: 'full' | 'free'): Promise<Run> {
  const other = await scene.start({ id: 'other', lane: 'm', concurrency });
  await scene.submit({ id: 'a', concurrency });
  await scene.claim();
  const settlement = settlementOf(other, { type: 'drop', at: await scene.now() });
  if (key === 'free') await scene.settle(settlement);
  return scene.read('a');
}

async function settled(scene: CaseScene, type: 'release' | 'retry'): Promise<Run> {
  const run = await scene.start('a');
  const at = await scene.now();
  const errors = [{ epoch: 1, at, name: 'Error', message: 'first', stack: 'at first' }];
  await scene.settle(settlementOf(run, { type, at, runAt: at }, type === 'retry' ? { errors } : {}));
  return scene.read('a');
}
