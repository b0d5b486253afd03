import { cancelRuns, discardRuns, endRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import type { RunEvent } from '@retry/core/lifecycle';
import { equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { keyed } from './keyed.ts';

const ERROR = { name: 'Error', message: 'no' };

/** Ways in which a waiting run leaves its lane without a claim. */
const WAYS_OUT: readonly (readonly [
  name: string,
  leave: (scene: CaseScene, id: string) => Promise<unknown>,
])[] = [
  ['cancelled', ({ broker }, id) => cancelRuns(broker, [id])],
  ['completed by hand', ({ broker }, id) => endRuns(broker, [{ id, as: 'completed', result: '1' }])],
  ['failed by hand', ({ broker }, id) => endRuns(broker, [{ id, as: 'failed', error: ERROR }])],
  ['rescheduled for later', ({ broker }, id) => rescheduleRuns(broker, [{ id, delayMs: LONG_MS }])],
];

/** Ways back to the back of the lane, by the events of the settlement. */
const WAYS_BACK: readonly (readonly [name: string, events: (at: number) => readonly RunEvent[]])[] = [
  ['a retry', (at) => [{ type: 'retry', at, runAt: at }]],
  ['a retry for later', (at) => [{ type: 'retry', at, runAt: at + SHORT_MS }]],
  ['a release for later', (at) => [{ type: 'release', at, runAt: at + SHORT_MS }]],
  [
    'an expired lease',
    (at) => [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at },
    ],
  ],
  ['a limit for later', (at) => [{ type: 'limit', at, runAt: at + SHORT_MS }]],
];

/** Who has the turn of a key when runs come and go otherwise than by submit and claim. */
export const passedTurnsCases: CasesByName = {
  'fairness: the turn passes to the next run of the key when the one that has it is': /* @__PURE__ */ each(
    () => WAYS_OUT,
    async (scene, [, leave]) => {
      await scene.submit(...keyed('t1', 't2', 't3', 'b1'));

      await leave(scene, 't1');
      await scene.submit('p');

      equal(await scene.claimIds(), ['b1', 't2', 'p', 't3']);
    },
  ),

  'fairness: a run behind the turn leaves the others where they are when it is': /* @__PURE__ */ each(
    () => WAYS_OUT,
    async (scene, [, leave]) => {
      await scene.submit(...keyed('t1', 't2', 't3', 't4', 'b1'));

      await leave(scene, 't2');
      await leave(scene, 't4');
      await scene.submit('p');

      equal(await scene.claimIds(), ['t1', 'b1', 'p', 't3']);
    },
  ),

  'fairness: a key whose runs have all left has a turn again when the last one is': /* @__PURE__ */ each(
    () => WAYS_OUT,
    async (scene, [, leave]) => {
      await scene.submit(...keyed('t1', 't2', 'b1'));
      for (const id of ['t2', 't1']) await leave(scene, id);

      await scene.submit(...keyed('t3', 't4'), 'p');

      equal(await scene.claimIds(), ['b1', 't3', 'p', 't4']);
    },
  ),

  'fairness: one cancel of the run that has the turn and the next one passes it to the third': async (
    scene,
  ) => {
    await scene.submit(...keyed('t1', 't2', 't3', 't4', 'b1', 'b2'));

    equal(await cancelRuns(scene.broker, ['t1', 't2', 'b2']), ['cancelled', 'cancelled', 'cancelled']);
    await scene.submit('p');

    equal(await scene.claimIds(), ['b1', 't3', 'p', 't4']);
  },

  'fairness: one cancel of all runs of a key leaves nothing of its turn': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3'));
    await cancelRuns(scene.broker, ['t3', 't1', 't2']);

    equal(await scene.claimIds(), []);
    await scene.submit('p1', ...keyed('t4'), 'p2');
    equal(await scene.claimIds(), ['p1', 't4', 'p2']);
  },

  'fairness: runs rescheduled for later and back to now come by turn again': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));

    await rescheduleRuns(scene.broker, [
      { id: 't1', delayMs: LONG_MS },
      { id: 't2', delayMs: LONG_MS },
    ]);
    await rescheduleRuns(scene.broker, [{ id: 't2' }, { id: 't1' }]);
    await scene.submit('p');

    equal(await scene.claimIds(), ['b1', 't3', 'p', 't2', 't1']);
  },

  'fairness: a reschedule to now leaves waiting runs where they are': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));

    await rescheduleRuns(scene.broker, [{ id: 't3' }, { id: 't1' }, { id: 't2' }]);

    equal(await scene.claimIds(), ['t1', 'b1', 't2', 't3']);
  },

  'fairness: a unique run passes its turn on to the next one when it is replaced': async (scene) => {
    await scene.submit(unique('{k}1'), ...keyed('t2', 'b1'));

    await scene.submit(unique('{k}2'));
    await scene.submit('p');

    equal(await scene.claimIds(), ['b1', 't2', 'p', '{k}2']);
  },

  'fairness: a unique run that is replaced behind the turn leaves, and the new one is the last': async (
    scene,
  ) => {
    await scene.submit(...keyed('t1'), unique('{k}1'), ...keyed('t3', 'b1'));

    await scene.submit(unique('{k}2'));

    equal(await scene.claimIds(), ['t1', 'b1', 't3', '{k}2']);
  },

  'fairness: a unique run that replaces the only one of its key has the turn': async (scene) => {
    await scene.submit(unique('{k}1'), 'p1');

    await scene.submit(unique('{k}2'));
    await scene.submit('p2', unique('{k}3'));

    equal(await scene.claimIds(), ['p1', 'p2', '{k}3']);
  },

  'fairness: a unique run that is kept back takes no turn': async (scene) => {
    await scene.submit(unique('{k}1'));
    const unkept = {
      ...unique('{k}2'),
      lane: 'l',
      payload: '{}',
      unique: { ...UNIQUE, onConflict: 'keep' },
    } as const;

    equal(await scene.broker.submit([unkept]), [{ type: 'kept', id: '{k}1' }]);
    await scene.submit('p', ...keyed('t2'));

    equal(await scene.claimIds(), ['{k}1', 'p', 't2']);
  },

  'fairness: a run comes back by turn after': /* @__PURE__ */ each(
    () => WAYS_BACK,
    async (scene, [, events]) => {
      await scene.submit(...keyed('t1', 't2', 't3', 'b1'));
      await scene.claimIds({ limit: 1 });

      await scene.settleNow(events, 't1');
      await scene.advance(PASS_MS);

      equal(await scene.claimIds(), ['b1', 't2', 't3', 't1']);
    },
  ),

  'fairness: a run has the turn when it comes back and no other run of its key waits, after':
    /* @__PURE__ */ each(
      () => WAYS_BACK,
      async (scene, [, events]) => {
        await scene.submit(...keyed('t1', 'b1', 'b2'));
        await scene.claimIds({ limit: 1 });

        await scene.settleNow(events, 't1');
        await scene.advance(PASS_MS);
        const first = await scene.claimIds({ limit: 1 });
        await scene.submit(...keyed('t2'), 'p');

        equal([first, await scene.claimIds()], [['b1'], ['t1', 'b2', 'p', 't2']]);
      },
    ),

  'fairness: a run that is given back comes to the front, and passes no turn on': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));
    await scene.claimIds({ limit: 1 });

    await scene.settleNow('release', 't1');
    const again = await scene.claimIds({ limit: 1 });
    await scene.submit('p');

    equal(again, ['t1']);
    equal(await scene.claimIds(), ['b1', 't2', 'p', 't3']);
  },

  'fairness: a run that was given back passes no turn on when it is': /* @__PURE__ */ each(
    () => WAYS_OUT,
    async (scene, [, leave]) => {
      await scene.submit(...keyed('t1', 't2', 't3', 'b1'));
      await scene.claimIds({ limit: 1 });

      await scene.settleNow('release', 't1');
      await leave(scene, 't1');
      await scene.submit('p');

      equal(await scene.claimIds(), ['b1', 't2', 'p', 't3']);
    },
  ),

  'fairness: a run that was given back to a lane without others of its key leaves the turn to the next one':
    async (scene) => {
      await scene.submit(...keyed('t1'));
      await scene.claimIds();

      await scene.settleNow('release', 't1');
      await scene.submit('p1', ...keyed('t2', 't3'), 'p2');

      equal(await scene.claimIds(), ['t1', 'p1', 't2', 'p2', 't3']);
    },

  'fairness: a cancel request ends a run that would have come back': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3'));
    await scene.claimIds({ limit: 1 });
    await cancelRuns(scene.broker, ['t1']);

    await scene.settleNow('retry', 't1');

    strictEqual((await scene.read('t1')).state, 'cancelled');
    equal(await scene.claimIds(), ['t2', 't3']);
  },

  'fairness: runs that are redriven come by turn': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3'));
    await scene.claim();
    for (const id of ['t1', 't2', 't3']) await scene.settleNow('fail', id);
    await scene.submit(...keyed('b1', 'b2'));

    await redriveRuns(scene.broker, ['t3', 't1', 't2']);

    equal(await scene.claimIds(), ['b1', 't3', 'b2', 't1', 't2']);
  },

  'fairness: a run that is discarded has left no turn': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3'));
    await endRuns(scene.broker, [
      { id: 't1', as: 'completed', result: '1' },
      { id: 't2', as: 'completed', result: '1' },
    ]);

    equal(await discardRuns(scene.broker, ['t1', 't2']), ['discarded', 'discarded']);
    await scene.submit(...keyed('t1', 't2'), 'p');

    equal(await scene.claimIds(), ['t3', 'p', 't1', 't2']);
  },

  'fairness: scheduled runs come by turn when they are due': async (scene) => {
    const at = (await scene.now()) + AHEAD_MS;
    await scene.submit(
      ...keyed('t1', 't2', 't3', 'b1').map((run, index) => ({ ...run, runAt: at + index })),
      ...keyed('t4').map((run) => ({ ...run, delayMs: LONG_MS })),
    );
    await scene.advancePast(at + 3);

    equal(await scene.claimIds({ limit: 1 }), ['t1']);
    await scene.submit('p');
    equal(await scene.claimIds(), ['b1', 't2', 'p', 't3']);
  },

  'fairness: scheduled runs come behind the turn of their key when they are due': async (scene) => {
    const at = (await scene.now()) + AHEAD_MS;
    await scene.submit(...keyed('t1', 't2').map((run) => ({ ...run, runAt: at })));
    await scene.submit(...keyed('t3', 't4', 'b1'));
    await scene.advancePast(at);

    equal(await scene.claimIds(), ['t3', 'b1', 't4', 't1', 't2']);
  },

  'fairness: a scheduled run that is cancelled has no turn': async (scene) => {
    await scene.submit(...keyed('t1').map((run) => ({ ...run, delayMs: LONG_MS })), ...keyed('t2', 't3'));
    await cancelRuns(scene.broker, ['t1']);
    await scene.submit('p');

    equal(await scene.claimIds(), ['t2', 'p', 't3']);
  },
};

const UNIQUE = { key: 'k', until: 'ended', onConflict: 'replace' } as const;

function unique(id: string) {
  return { id, fairnessKey: 't', unique: UNIQUE };
}
