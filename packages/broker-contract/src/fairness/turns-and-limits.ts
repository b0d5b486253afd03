import { cancelRuns, holdLanes, resumeLanes } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, LONG_MS, PASS_MS } from '../case-scene.ts';
import { figuresOf } from '../insight/figures-of.ts';
import { listIds, listPages } from '../list-pages.ts';
import { idsOf, keyed } from './keyed.ts';

/** Turns beside holds, limits of due runs, waits and reads. */
export const fairnessAndLimitsCases: CasesByName = {
  'fairness: a hold starts nothing, and leaves the turns as they are': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 'b1'));
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
    const held = await scene.claimIds();
    await scene.submit(...keyed('t3', 'b2'));
    await cancelRuns(scene.broker, ['t1']);
    await resumeLanes(scene.broker, [{ lane: 'l' }]);

    equal([held, await scene.claimIds()], [[], ['b1', 't2', 'b2', 't3']]);
  },

  'fairness: a probe starts one run, and passes one turn on': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));
    await holdLanes(scene.broker, [{ lane: 'l', source: 'circuit-breaker', until: 1, probeMs: LONG_MS }]);
    const probed = await scene.claim();
    await resumeLanes(scene.broker, [{ lane: 'l' }]);
    await scene.submit('p');

    matches(probed, [{ run: { id: 't1' }, isProbe: true }]);
    equal(await scene.claimIds(), ['b1', 't2', 'p', 't3']);
  },

  'fairness: a limit of due runs leaves the room to the runs that are behind a turn': async (scene) => {
    const dueAt = (await scene.now()) + AHEAD_MS;
    await scene.submit(...['d1', 'd2', 'd3'].map((id, index) => ({ id, runAt: dueAt + index })));
    await scene.advancePast(dueAt + 2);
    await scene.submit(...keyed(...idsOf('t', 5)));

    const dueLimits = new Map([['l', 1]]);
    equal(await scene.claimIds({ limit: 5, dueLimits }), ['d1', 't1', 't2', 't3', 't4']);
    equal(await scene.claimIds({ limit: 5, dueLimits }), ['d2', 'd3', 't5']);
  },

  'fairness: due runs that a claim takes first come to the front, and pass no turn on': async (scene) => {
    const dueAt = (await scene.now()) + AHEAD_MS;
    await scene.submit(...keyed('t8', 't9').map((run, index) => ({ ...run, runAt: dueAt + index })));
    await scene.advancePast(dueAt + 1);
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));

    const first = await scene.claimIds({ limit: 3, dueLimits: new Map([['l', 2]]) });
    await scene.submit('p');

    equal(first, ['t8', 't9', 't1']);
    equal(await scene.claimIds(), ['b1', 't2', 'p', 't3']);
  },

  'fairness: a wait for work ends immediately while a turn has been passed on': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3'));
    await scene.claimIds({ limit: 1 });
    await cancelRuns(scene.broker, ['t2']);

    strictEqual(await scene.broker.wait({ lanes: ['l'], timeoutMs: LONG_MS }), undefined);
    equal(await scene.claimIds(), ['t3']);
  },

  'fairness: a wait for work lasts when the last run of a turn has started': async (scene) => {
    await scene.submit(...keyed('t1', 't2'));
    await scene.claimIds();
    const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: LONG_MS });

    await scene.submit(...keyed('t3'));

    strictEqual(await waiting, undefined);
    equal(await scene.claimIds(), ['t3']);
  },

  'fairness: runs behind a turn are counted as waiting': async (scene) => {
    await scene.submit(
      ...keyed('t1', 't2', 't3', 'b1'),
      ...keyed('t4').map((run) => ({ ...run, lane: 'm' })),
    );
    const all = await depthsOf(scene);
    matches(await scene.broker.audit(), { submitted: 5 });
    await cancelRuns(scene.broker, ['t2']);
    await scene.claimIds({ limit: 1 });

    equal(
      [all, await depthsOf(scene)],
      [
        { l: 4, m: 1 },
        { l: 2, m: 1 },
      ],
    );
    await scene.claimIds();
    equal(await depthsOf(scene), { m: 1 });
  },

  'fairness: list returns runs behind a turn, too, those of a lane in the order in which they came': async (
    scene,
  ) => {
    const inOther = keyed('c1', 'c2').map((run) => ({ ...run, lane: 'a' }));
    await scene.submit(...keyed('t1', 't2', 'b1'), ...inOther, ...keyed('t3', 'b2'), 'p');
    const all = ['b1', 'b2', 'c1', 'c2', 'p', 't1', 't2', 't3'];

    for (const limit of [1_000, 3, 1]) {
      const ids = await listIds(scene, { limit });
      equal([...ids].sort(), all);
      equal(ids.slice(0, 2).sort(), ['c1', 'c2']);
      equal(
        ids.filter((id) => ['t2', 't3', 'b2'].includes(id)),
        ['t2', 't3', 'b2'],
      );
    }
    equal([...(await listIds(scene, { lane: 'a', limit: 1 }))].sort(), ['c1', 'c2']);
    equal(await listIds(scene, { lane: 'none' }), []);
  },

  'fairness: list has each run that waits the whole time on a page, while turns are passed on': async (
    scene,
  ) => {
    await scene.submit(...keyed(...idsOf('t', 12), ...idsOf('b', 6)), 'p');
    const started: string[] = [];

    const pages = await listPages(scene, { state: 'submitted', limit: 2 }, async () => {
      started.push(...(await scene.claimIds({ limit: 1 })));
    });

    const waiting = [...idsOf('t', 12), ...idsOf('b', 6), 'p'].filter((id) => !started.includes(id));
    const listed = new Set(pages.flat());
    equal(
      waiting.filter((id) => !listed.has(id)),
      [],
    );
  },
};

/** What operators see of runs behind a turn. */
export const fairnessFiguresCases: CasesByName = {
  'lanes: runs behind the turn of their fairness key are waiting, and not put aside': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));
    await scene.advance(PASS_MS);
    await scene.claimIds({ limit: 1 });

    const { lanes } = await figuresOf(scene).lanes({ lanes: ['l'] });

    matches(lanes, [{ waiting: { count: 3 }, parked: { count: 0 }, started: { count: 1 } }]);
  },
};

async function depthsOf(scene: CaseScene): Promise<Record<string, number>> {
  return Object.fromEntries((await scene.broker.attend()).map(({ lane, waiting }) => [lane, waiting]));
}
