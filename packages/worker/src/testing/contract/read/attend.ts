import { equal } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';

/** Which lanes have runs that no worker works on. */
export const attendCases: CasesByName = {
  'attend gives the lanes that have waiting runs and no worker, and how many wait': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'x' }, { id: 'c', lane: 'y' });

    equal(await unattended(scene), { x: 2, y: 1 });
  },

  'attend gives nothing when nothing waits': async (scene) => {
    await scene.start({ id: 'a', lane: 'x' });
    await scene.submit({ id: 'b', lane: 'y' }, { id: 'c', lane: 'z', delayMs: LONG_MS });
    await scene.broker.cancel(['b']);

    equal(await unattended(scene), {});
  },

  'attend counts runs that are due, although no worker promotes them': async (scene) => {
    const delays = [SHORT_MS, 1, LONG_MS, 2, SHORT_MS, LONG_MS];
    await scene.submit(...delays.map((delayMs, index) => ({ id: `run-${index}`, lane: 'x', delayMs })));
    await scene.advance(PASS_MS);

    equal(await unattended(scene), { x: 4 });
  },

  'attend leaves out the lanes of a worker that is alive, and answers it the same': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'z' });

    const answer = await scene.broker.attend({ worker: 'w', lanes: ['x', 'z', 'empty'], ttlMs: LONG_MS });

    equal(answer, [{ lane: 'y', waiting: 1 }]);
    equal(await unattended(scene), { y: 1 });
  },

  'attend counts a worker no longer as alive once its time is over': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' });
    await attend(scene, 'w', ['x'], SHORT_MS);
    await scene.advance(PASS_MS);

    equal(await unattended(scene), { x: 1 });
  },

  'attend counts a worker as alive that attends again in time': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' });
    await attend(scene, 'w', ['x'], SHORT_MS);
    await attend(scene, 'w', ['x'], LONG_MS);
    await scene.advance(PASS_MS);

    equal(await unattended(scene), {});
  },

  'attend takes a worker back by a time of 0, and only this one': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' });
    await attend(scene, 'one', ['x', 'y']);
    await attend(scene, 'other', ['y']);

    await attend(scene, 'one', ['x', 'y'], 0);

    equal(await unattended(scene), { x: 1 });
  },

  'attend notes the lanes of a worker anew each time': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' });
    await attend(scene, 'w', ['x']);

    await attend(scene, 'w', ['y']);

    equal(await unattended(scene), { x: 1 });
  },

  'attend counts up to 10 000': async (scene) => {
    const ids = Array.from({ length: 10_001 }, (_, index) => `run-${index}`);
    await scene.submit(...ids.map((id) => ({ id, lane: 'x' })));

    equal(await unattended(scene), { x: 10_000 });
  },
};

async function unattended(scene: CaseScene): Promise<Record<string, number>> {
  return Object.fromEntries((await scene.broker.attend()).map(({ lane, waiting }) => [lane, waiting]));
}

function attend(
  scene: CaseScene,
  worker: string,
  lanes: readonly string[],
  ttlMs = LONG_MS,
): Promise<unknown> {
  return scene.broker.attend({ worker, lanes, ttlMs });
}
