import type { SubmitAnswer } from '@retry/core/broker';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { BrokerCase, CasesByName } from '../broker-case.ts';
import { defineCases, each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { PASS_MS, SHORT_MS } from '../case-scene.ts';
import { untilForgotten } from './keep-results.ts';

/** Keys stay known after their runs have been forgotten. */
export function listKeepKeysCases(): readonly BrokerCase[] {
  return [
    ...defineCases(rememberedKeys, { storage: { keepCompleted: { count: 0 }, keepKeys: '1h' }, requires }),
    ...defineCases(forgottenIds, { storage: { keepCompleted: { count: 0 }, keepKeys: '1h' }, requires }),
    ...defineCases(expiredKeys, { storage: { keepCompleted: { count: 0 }, keepKeys: SHORT_MS }, requires }),
    ...defineCases(keysOfKeptRuns, {
      storage: { keepCompleted: { count: Infinity }, keepKeys: 1 },
      requires,
    }),
  ];
}

const requires = ['retention'] as const;

const rememberedKeys: CasesByName = {
  'a key stays known when its run has been forgotten': async (scene) => {
    await submit(scene, 'a', true);
    await complete(scene, 'a');

    strictEqual(await submit(scene, 'a', true), 'exists');
    equal(await scene.broker.get(['a']), [undefined]);
    equal(await scene.claimIds(), []);
  },

  'a key stays known to a submission of the same id that is not keyed': async (scene) => {
    await submit(scene, 'a', true);
    await complete(scene, 'a');

    strictEqual(await submit(scene, 'a'), 'exists');
  },

  'a key stays known within a batch of keyed and other ids': async (scene) => {
    for (const id of ['a', 'b', 'c', 'd']) await submit(scene, id, id !== 'b');
    await complete(scene, 'a', 'b', 'c', 'd');
    const again = ['new', 'd', 'b', 'a'].map((id) => ({ id, lane: 'l', payload: '{}', keyed: true }));

    equal(await scene.broker.submit(again), ['created', 'exists', 'created', 'exists']);
  },

  'a key stays known when its run was cancelled, or discarded as a dead letter': async (scene) => {
    await submit(scene, 'a', true);
    await cancelRuns(scene.broker, ['a']);
    await untilForgotten(scene, 'a');
    await scene.settleNow('fail', await scene.start({ id: 'b', keyed: true }));
    await discardRuns(scene.broker, ['b']);

    strictEqual(await submit(scene, 'a', true), 'exists');
    strictEqual(await submit(scene, 'b', true), 'exists');
  },

  'a key that is submitted again counts once in the audit': async (scene) => {
    await submit(scene, 'a', true);
    await complete(scene);
    await submit(scene, 'a', true);

    const { created, submitted, unbalanced } = await scene.broker.audit();

    equal({ created, submitted, unbalanced }, { created: 1, submitted: 0, unbalanced: 0 });
  },
};

const forgottenIds: CasesByName = {
  'an id that is not keyed is forgotten with its run': /* @__PURE__ */ each(
    () => [undefined, false],
    async (scene, keyed) => {
      await submit(scene, 'a', keyed);
      await complete(scene, 'a');

      strictEqual(await submit(scene, 'a', keyed), 'created');
      equal(await scene.claimIds(), ['a']);
    },
  ),
};

const expiredKeys: CasesByName = {
  'a key whose keepKeys has passed can name another run': async (scene) => {
    await submit(scene, 'a', true);
    await complete(scene, 'a');
    await scene.advance(PASS_MS);

    strictEqual(await submit(scene, 'a', true), 'created');
    matches(await scene.read('a'), { state: 'submitted', epoch: 0 });
    equal(await scene.claimIds(), ['a']);
  },
};

const keysOfKeptRuns: CasesByName = {
  'a key stays known as long as its run is kept, whatever keepKeys is': async (scene) => {
    await submit(scene, 'a', true);
    await complete(scene);
    await scene.advance(PASS_MS);

    strictEqual(await submit(scene, 'a', true), 'exists');
  },
};

async function submit(scene: CaseScene, id: string, keyed?: boolean): Promise<SubmitAnswer | undefined> {
  const submission = { id, lane: 'l', payload: '{}' };
  const [answer] = await scene.broker.submit([keyed === undefined ? submission : { ...submission, keyed }]);
  return answer;
}

async function complete(scene: CaseScene, ...ids: readonly string[]): Promise<void> {
  await scene.settleNow('complete', ...(await scene.claim()));
  for (const id of ids) await untilForgotten(scene, id);
}
