import type { LaneFigures } from '@retry/core/broker';
import { cancelRuns, holdLanes, redriveRuns } from '@retry/core/broker/kit';
import { atLeast, below, equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { figuresOf } from './figures-of.ts';

/** What waits and runs in each lane. */
export const insightLanesCases: CasesByName = {
  'lanes: it counts what waits, is scheduled and is started': async (scene) => {
    await scene.submit('a', 'b', 'c', { id: 'd', lane: 'm' }, { id: 'later', delayMs: LONG_MS });
    await scene.claim({ limit: 1 });

    const { lanes, isComplete } = await figuresOf(scene).lanes({});

    equal(lanes.map(countsOf), [
      { lane: 'l', waiting: 2, parked: 0, scheduled: 1, due: 0, started: 1 },
      { lane: 'm', waiting: 1, parked: 0, scheduled: 0, due: 0, started: 0 },
    ]);
    equal(isComplete, true);
  },

  'lanes: it counts runs that wait for their concurrency key as waiting and parked': async (scene) => {
    await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency }, { id: 'c', concurrency });
    await scene.claim();

    const lane = await laneOf(scene, 'l');

    equal(countsOf(lane), { lane: 'l', waiting: 2, parked: 2, scheduled: 0, due: 0, started: 1 });
    equal(lane.oldestClaimableAgeMs, undefined);
  },

  'lanes: it counts released runs and those that came back from the schedule': async (scene) => {
    const run = await scene.start('released');
    await scene.submit('behind', { id: 'due', delayMs: SHORT_MS });
    await scene.settleNow('release', run);
    await scene.advance(PASS_MS);
    await scene.claim({ lanes: [['l', 1]] });

    matches(countsOf(await laneOf(scene, 'l')), { waiting: 2, scheduled: 0, due: 0, started: 1 });
  },

  'lanes: it does not count runs that were cancelled in their lane': async (scene) => {
    await scene.submit('a', 'b', 'c');
    await cancelRuns(scene.broker, ['a', 'b']);

    matches(countsOf(await laneOf(scene, 'l')), { waiting: 1 });
  },

  'lanes: it finds the one in which a run waits behind a thousand that have become empty': async (scene) => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `a-${index}`);
    await scene.submit(...ids.map((id) => ({ id, lane: id })), { id: 'z', lane: 'z' });
    for (let from = 0; from < ids.length; from += 500)
      await cancelRuns(scene.broker, ids.slice(from, from + 500));

    const { lanes, isComplete } = await figuresOf(scene).lanes({});

    equal(
      lanes.map(({ lane }) => lane),
      ['z'],
    );
    equal(isComplete, true);
  },

  'lanes: it leaves out lanes in which nothing waits, unless they are named': async (scene) => {
    await scene.settleNow('complete', await scene.start('a'));

    equal((await figuresOf(scene).lanes({})).lanes, []);
    const { lanes } = await figuresOf(scene).lanes({ lanes: ['unknown', 'l'] });
    const none = { waiting: 0, parked: 0, scheduled: 0, due: 0, started: 0 };
    equal(lanes.map(countsOf), [
      { lane: 'l', ...none },
      { lane: 'unknown', ...none },
    ]);
  },

  'lanes: it reports only the lanes that are named': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'z' });

    const { lanes } = await figuresOf(scene).lanes({ lanes: ['z', 'x', 'z'] });

    equal(
      lanes.map(({ lane }) => lane),
      ['x', 'z'],
    );
  },

  'lanes: it reports the holds of a lane, and those of all lanes': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' });
    await holdLanes(scene.broker, [
      { lane: 'x', source: 'operator', reason: 'why' },
      { lane: 'empty', source: 'handler', forMs: LONG_MS },
      { source: 'operator' },
    ]);

    const { lanes } = await figuresOf(scene).lanes({});

    matches(
      lanes.map(({ lane, holds }) => ({ lane, holds })),
      [
        { lane: 'empty', holds: [{ source: 'operator' }, { lane: 'empty', source: 'handler' }] },
        { lane: 'x', holds: [{ source: 'operator' }, { lane: 'x', reason: 'why' }] },
        { lane: 'y', holds: [{ source: 'operator' }] },
      ],
    );
  },

  'lanes: it counts the runs of names with any characters': async (scene) => {
    const names = ['a', 'a\u0001', 'ä€😀', 'a:b{c}'];
    await scene.submit(...names.map((lane) => ({ id: `of ${lane}`, lane })));
    await scene.submit(...names.map((lane) => ({ id: `later of ${lane}`, lane, delayMs: LONG_MS })));
    await scene.claim({ lanes: ['a\u0001'] });

    for (const lane of names) {
      const isStarted = lane === 'a\u0001';
      const counts = isStarted ? { waiting: 0, started: 1 } : { waiting: 1, started: 0 };
      matches(countsOf(await laneOf(scene, lane)), { scheduled: 1, ...counts });
    }
  },
};

/** For how long runs have been claimable. */
export const insightAgesCases: CasesByName = {
  'lanes: it says for how long the next run has been claimable': async (scene) => {
    await scene.submit('a', 'b');
    await scene.advance(PASS_MS);

    const { oldestClaimableAgeMs } = await laneOf(scene, 'l');

    atLeast(oldestClaimableAgeMs, PASS_MS);
    below(oldestClaimableAgeMs, LONG_MS);
  },

  'lanes: it passes by cancelled and started runs for the next claimable one': async (scene) => {
    await scene.submit('started', 'cancelled');
    await scene.claim({ limit: 1 });
    await cancelRuns(scene.broker, ['cancelled']);
    equal((await laneOf(scene, 'l')).oldestClaimableAgeMs, undefined);
    await scene.advance(PASS_MS);
    await scene.submit('c');

    const age = (await laneOf(scene, 'l')).oldestClaimableAgeMs ?? LONG_MS;

    const { runAt = 0 } = await scene.read('c');
    atLeast(await scene.now(), runAt + age);
  },

  'lanes: it counts from when a scheduled run was due, and not before': async (scene) => {
    await scene.submit({ id: 'a', delayMs: SHORT_MS }, { id: 'b', delayMs: LONG_MS });
    const { runAt = 0 } = await scene.read('a');
    await scene.advancePast(runAt);

    const { oldestClaimableAgeMs = -1, ...lane } = await laneOf(scene, 'l');

    matches(countsOf(lane), { waiting: 0, scheduled: 2, due: 1 });
    atLeast(oldestClaimableAgeMs, 0);
    atLeast(await scene.now(), runAt + oldestClaimableAgeMs);
  },

  'lanes: it has no claimable run where all are scheduled for later': async (scene) => {
    await scene.submit({ id: 'a', delayMs: LONG_MS });

    equal((await laneOf(scene, 'l')).oldestClaimableAgeMs, undefined);
  },

  'lanes: it takes the age of a redriven run from its redrive': async (scene) => {
    await scene.settleNow('fail', await scene.start('a'));
    await scene.advance(PASS_MS);
    await redriveRuns(scene.broker, ['a']);

    const age = (await laneOf(scene, 'l')).oldestClaimableAgeMs ?? LONG_MS;

    const { runAt = 0 } = await scene.read('a');
    atLeast(await scene.now(), runAt + age);
  },
};

async function laneOf(scene: CaseScene, lane: string): Promise<LaneFigures> {
  const [figures] = (await figuresOf(scene).lanes({ lanes: [lane] })).lanes;
  if (figures === undefined) throw new Error(`the lane ${lane} is not reported`);
  return figures;
}

/** The counts of a lane, all of which have to be complete. */
function countsOf({ lane, waiting, parked, scheduled, due, started }: LaneFigures) {
  const counts = { waiting, parked, scheduled, due, started };
  for (const [name, { isComplete }] of Object.entries(counts)) equal(isComplete, true, `${name} of ${lane}`);
  return {
    lane,
    ...{ waiting: waiting.count, parked: parked.count, scheduled: scheduled.count },
    ...{ due: due.count, started: started.count },
  };
}
