import {
  cancelRuns,
  discardRuns,
  holdLanes,
  redriveRuns,
  rescheduleRuns,
  resumeLanes,
} from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, idsIn, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Puts run `a` into its lane while that is on hold, each in its way. */
const WAYS: readonly (readonly [
  name: string,
  prepare: (scene: CaseScene) => Promise<() => Promise<unknown>>,
])[] = [
  ['submitted', async (scene) => () => scene.submit('a')],
  [
    'due',
    async (scene) => {
      await scene.submit({ id: 'a', delayMs: SHORT_MS });
      return () => scene.advance(PASS_MS);
    },
  ],
  ['released', (scene) => settles(scene, 'release')],
  ['retried', (scene) => settles(scene, 'retry')],
  [
    'redriven',
    async (scene) => {
      await scene.settleNow('fail', await scene.start('a'));
      return () => redriveRuns(scene.broker, ['a']);
    },
  ],
  [
    'rescheduled',
    async (scene) => {
      await scene.submit({ id: 'a', delayMs: LONG_MS });
      return () => rescheduleRuns(scene.broker, [{ id: 'a' }]);
    },
  ],
  [
    'given a slot of its key',
    async (scene) => {
      const other = await scene.start({ id: 'other', lane: 'm', concurrency });
      await scene.submit({ id: 'a', concurrency });
      await scene.claim();
      return () => scene.settleNow('complete', other);
    },
  ],
  ['over the limit of its key', (scene) => overLimit(scene)],
];

/** Whatever way a run comes into a lane on hold, it waits; places, keys and other verbs are as always. */
export const holdWaysCases: CasesByName = {
  'hold applies to a run that is %s meanwhile': /* @__PURE__ */ each(
    () => WAYS,
    async (scene, [_, prepare]) => {
      const put = await prepare(scene);
      await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
      await put();
      const held = await scene.claimIds();
      await resumeLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);

      equal(held, []);
      equal(await scene.claimIds(), ['a']);
    },
  ),

  'hold keeps the places of the runs that wait': async (scene) => {
    await scene.submit('a', 'b', 'c', { id: 'd', delayMs: SHORT_MS });
    const claimed = await scene.claim({ limit: 2 });
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
    await scene.settleNow('release', ...claimed);
    await scene.advance(PASS_MS);
    await scene.claim();
    await resumeLanes(scene.broker, [{ lane: 'l' }]);

    equal(await scene.claimIds(), ['a', 'b', 'c', 'd']);
  },

  'hold takes no slot of a key from the lanes that go on': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency });
    await scene.submit({ id: 'b', concurrency }, { id: 'c', lane: 'm', concurrency });
    await scene.claim({ lanes: ['l', 'm'] });
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
    await scene.settleNow('complete', run);
    const going = await scene.claimIds({ lanes: ['l', 'm'] });
    await resumeLanes(scene.broker, [{ lane: 'l' }]);
    const full = await scene.claimIds();

    equal([going, full], [['c'], []]);
  },

  'hold leaves cancel, end, discard, redrive, list, findExpired and attend as they are': async (scene) => {
    const run = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.submit('b', 'c');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }, { source: 'operator' }]);
    await scene.advance(PASS_MS);

    const expired = await scene.broker.findExpired(10);
    equal(idsIn(expired), ['a']);
    matches(await scene.broker.attend(), [{ lane: 'l', waiting: 2 }]);
    equal(await cancelRuns(scene.broker, ['a', 'b']), ['requested', 'cancelled']);
    equal(await discardRuns(scene.broker, ['b']), ['discarded']);
    await scene.settleNow('fail', run);
    equal(await redriveRuns(scene.broker, ['a']), ['redriven']);
    const { runs } = await scene.broker.list({ state: 'submitted', limit: 10 });
    equal(idsIn(runs), ['c', 'a']);
  },

  'hold and a concurrent claim: after the answer no claim starts a run': async (scene) => {
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    await scene.submit(...ids);

    const [, ...early] = await Promise.all([
      holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]),
      ...ids.slice(0, 5).map(() => scene.claimIds({ limit: 1 })),
    ]);
    const late = await scene.claimIds();
    await resumeLanes(scene.broker, [{ lane: 'l' }]);
    const rest = await scene.claimIds();

    equal(late, []);
    strictEqual(early.flat().length + rest.length, ids.length);
    equal(new Set([...early.flat(), ...rest]), new Set(ids));
  },
};

async function settles(scene: CaseScene, type: 'release' | 'retry'): Promise<() => Promise<unknown>> {
  const run = await scene.start('a');
  const at = await scene.now();
  return () => scene.settle(settlementOf(run, { type, at, runAt: at }));
}

async function overLimit(scene: CaseScene): Promise<() => Promise<unknown>> {
  const claimed = { ...concurrency, whenFull: 'claim' } as const;
  await scene.start({ id: 'other', lane: 'm', concurrency: claimed });
  return () => scene.submit({ id: 'a', concurrency: claimed });
}
