import { cancelRuns } from '@retry/core/broker/kit';
import { equal } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';

/** Which lanes have runs that no worker works on. */
export const attendCases: CasesByName = {
  'attend returns the lanes that have waiting runs and no worker, with their depths': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'x' }, { id: 'c', lane: 'y' });

    equal(await unattended(scene), { x: 2, y: 1 });
  },

  'attend returns nothing when no run waits': async (scene) => {
    await scene.start({ id: 'a', lane: 'x' });
    await scene.submit({ id: 'b', lane: 'y' }, { id: 'c', lane: 'z', delayMs: LONG_MS });
    await cancelRuns(scene.broker, ['b']);

    equal(await unattended(scene), {});
  },

  'attend counts scheduled runs that are due': async (scene) => {
    const delays = [SHORT_MS, 1, LONG_MS, 2, SHORT_MS, LONG_MS];
    await scene.submit(...delays.map((delayMs, index) => ({ id: `run-${index}`, lane: 'x', delayMs })));
    await scene.advance(PASS_MS);

    equal(await unattended(scene), { x: 4 });
  },

  'attend leaves out the lanes of a live worker': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'z' });

    const answer = await scene.broker.attend({ worker: 'w', lanes: ['x', 'z', 'empty'], ttlMs: LONG_MS });

    equal(answer, [{ lane: 'y', waiting: 1 }]);
    equal(await unattended(scene), { y: 1 });
  },

  'attend forgets a worker after its ttlMs': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' });
    await attend(scene, 'w', ['x'], SHORT_MS);
    await scene.advance(PASS_MS);

    equal(await unattended(scene), { x: 1 });
  },

  'attend extends the time of a worker that attends again': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' });
    await attend(scene, 'w', ['x'], SHORT_MS);
    await attend(scene, 'w', ['x'], LONG_MS);
    await scene.advance(PASS_MS);

    equal(await unattended(scene), {});
  },

  'attend with a ttlMs of 0 removes this worker only': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' });
    await attend(scene, 'one', ['x', 'y']);
    await attend(scene, 'other', ['y']);

    await attend(scene, 'one', ['x', 'y'], 0);

    equal(await unattended(scene), { x: 1 });
  },

  'attend replaces the lanes of a worker': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' });
    await attend(scene, 'w', ['x']);

    await attend(scene, 'w', ['y']);

    equal(await unattended(scene), { x: 1 });
  },

  'attend knows every lane of a worker that has thousands': async (scene) => {
    const lanes = Array.from({ length: 3_000 }, (_, index) => `lane-ä😀-${index}`);
    const [first = '', last = ''] = [lanes[0], lanes.at(-1)];
    await scene.submit({ id: 'a', lane: first }, { id: 'b', lane: last }, { id: 'c', lane: 'x' });
    await attend(scene, 'w/0001', ['x']);

    await attend(scene, 'w', lanes);
    equal(await unattended(scene), {});

    await attend(scene, 'w', [last]);
    equal(await unattended(scene), { [first]: 1 });

    await attend(scene, 'w', [last], 0);
    equal(await unattended(scene), { [first]: 1, [last]: 1 });
  },

  'attend tells workers apart whose names begin alike': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'z' });
    await attend(scene, 'w', ['x']);
    await attend(scene, 'w/', ['y']);
    await attend(scene, 'w/w/0000', ['z']);

    await attend(scene, 'w', ['x'], 0);

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
