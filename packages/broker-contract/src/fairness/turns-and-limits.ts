import { cancelRuns, holdLanes, resumeLanes } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene, SubmissionInput } from '../case-scene.ts';
import { AHEAD_MS, LONG_MS, PASS_MS } from '../case-scene.ts';
import { figuresOf } from '../insight/figures-of.ts';
import { listIds, listPages } from '../list-pages.ts';
import { complete, idsOf, keyed, settleBy } from './keyed.ts';

const one = { key: 'k', limit: 1, whenFull: 'wait' } as const;

/** Turns beside concurrency keys, limits of lanes, holds, limits of due runs, waits and reads. */
export const fairnessAndLimitsCases: CasesByName = {
  'fairness: a run that is put aside passes its turn on': async (scene) => {
    await scene.submit(...limited('t1', 't2'), ...keyed('t3', 'b1', 'b2'));

    const claimed = await scene.claimIds();
    await complete(scene, 't1');

    equal(claimed, ['t1', 'b1', 'b2', 't3']);
    equal(await scene.claimIds(), ['t2']);
  },

  'fairness: a run that was put aside comes back where it was, and passes no turn on': async (scene) => {
    await scene.submit(...limited('t1', 't2'), ...keyed('t3', 't4', 't5'));
    const claimed = await scene.claimIds({ limit: 2 });
    await complete(scene, 't1');
    const returned = await scene.claimIds({ limit: 1 });
    await scene.submit('p');

    equal([claimed, returned], [['t1', 't3'], ['t2']]);
    equal(await scene.claimIds(), ['t4', 'p', 't5']);
  },

  'fairness: a run that is put aside and cancelled passes no turn on': async (scene) => {
    await scene.submit(...limited('t1', 't2'), ...keyed('t3', 't4', 't5'));
    await scene.claimIds({ limit: 2 });
    await cancelRuns(scene.broker, ['t2']);
    await scene.submit('p');

    equal(await scene.claimIds(), ['t4', 'p', 't5']);
  },

  'fairness: runs of one fairness key and one concurrency key start one after another': async (scene) => {
    await scene.submit(...limited('t1', 't2', 't3', 't4'));

    const claimed: string[] = [];
    for (let round = 0; round < 4; round++) {
      const [id = 'none', ...others] = await scene.claimIds();
      claimed.push(id, ...others);
      await complete(scene, id);
    }

    equal(claimed, ['t1', 't2', 't3', 't4']);
  },

  'fairness: runs over a limit that is no reason to wait are claimed by turn': async (scene) => {
    const concurrency = { ...one, whenFull: 'claim' } as const;
    await scene.submit(...keyed('t1', 't2', 'b1').map((run) => ({ ...run, concurrency })));

    const claimed = await scene.claim();

    equal(
      claimed.map(({ run, isOverLimit }) => [run.id, isOverLimit]),
      [
        ['t1', false],
        ['b1', true],
        ['t2', true],
      ],
    );
  },

  'fairness: the limit of a task takes runs by turn': async (scene) => {
    const concurrency = new Map([['l', { limit: 1, whenFull: 'wait' as const }]]);
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));

    const claimed: string[] = [];
    for (let round = 0; round < 4; round++) {
      const [id = 'none', ...others] = await scene.claimIds({ concurrency });
      claimed.push(id, ...others);
      await complete(scene, id);
    }

    equal(claimed, ['t1', 'b1', 't2', 't3']);
  },

  'fairness: a retry that keeps its slot comes back by turn': async (scene) => {
    const concurrency = { ...one, holdWhileRetrying: true };
    await scene.submit(...keyed('t1', 't2').map((run) => ({ ...run, concurrency })), ...keyed('t3', 'b1'));
    const first = await scene.claimIds({ limit: 1 });
    await settleBy(scene, 't1', (at) => ({ type: 'retry', at, runAt: at }));

    const claimed = await scene.claimIds();
    await complete(scene, 't1');

    equal([first, claimed], [['t1'], ['b1', 't3', 't1']]);
    equal(await scene.claimIds(), ['t2']);
  },

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

/** Several clients of one storage. */
export const fairnessClientsCases: CasesByName = {
  'fairness: two clients take turns from one lane': async (scene) => {
    const other = await scene.open();
    await scene.submit(...keyed('t1', 't2', 't3'));
    await other.submit(keyed('b1', 'b2').map((run) => ({ lane: 'l', payload: '{}', ...run })));
    const claim = { worker: 'other', limit: 1, lanes: new Map([['l', 1]]), leaseMs: LONG_MS };

    const claimed: string[] = [];
    for (let round = 0; round < 3; round++) {
      claimed.push(...(await scene.claimIds({ limit: 1 })));
      const reply = await other.exchange({ claim: { ...claim, requestId: `r${round}` } });
      claimed.push(...reply.claimed.map(({ run }) => run.id));
    }

    equal(claimed, ['t1', 'b1', 't2', 'b2', 't3']);
  },

  'fairness: each client that waits gets a run of one key, submitted by one call': async (scene) => {
    const other = await scene.open();
    const claimWhenThere = async (broker: CaseScene['broker'], worker: string): Promise<string> => {
      for (let round = 0; ; round++) {
        await broker.wait({ lanes: ['l'], timeoutMs: LONG_MS });
        const claim = {
          worker,
          requestId: `${round}`,
          limit: 1,
          lanes: new Map([['l', 1]]),
          leaseMs: LONG_MS,
        };
        const [first] = (await broker.exchange({ claim })).claimed;
        if (first !== undefined) return first.run.id;
      }
    };
    const both = [claimWhenThere(scene.broker, 'one'), claimWhenThere(other, 'other')];

    await scene.submit(...keyed('t1', 't2'));

    equal((await Promise.all(both)).sort(), ['t1', 't2']);
  },

  'fairness: no run is lost or started twice by clients that submit, claim and cancel at the same time':
    async (scene) => {
      const other = await scene.open();
      const gone: string[] = [];
      for (let round = 0; round < 8; round++)
        gone.push(...(await Promise.all(actsOf(round, [scene.broker, other]))).flat());
      for (let next = await scene.claimIds(); next.length > 0; next = await scene.claimIds())
        gone.push(...next);

      equal([gone.length, new Set(gone).size], [80, 80]);
      matches(await scene.broker.audit(), { submitted: 0 });
    },
};

/** What two clients do at the same time: ten runs come, and some of those before them go. Each returns the runs that are gone. */
function actsOf(
  round: number,
  [one, other]: readonly [CaseScene['broker'], CaseScene['broker']],
): readonly Promise<readonly string[]>[] {
  const submit = async (broker: CaseScene['broker'], ids: readonly string[]): Promise<readonly string[]> => {
    await broker.submit(keyed(...ids).map((run) => ({ lane: 'l', payload: '{}', ...run })));
    return [];
  };
  const claim = async (broker: CaseScene['broker'], worker: string): Promise<readonly string[]> => {
    const lanes = new Map([['l', 3]]);
    const request = { worker, requestId: `${round}`, limit: 3, lanes, leaseMs: LONG_MS };
    return (await broker.exchange({ claim: request })).claimed.map(({ run }) => run.id);
  };
  const cancel = async (id: string): Promise<readonly string[]> =>
    (await cancelRuns(other, [id]))[0] === 'cancelled' ? [id] : [];
  const before = round - 1;
  return [
    submit(one, idsOf(`t${round}-`, 6)),
    submit(other, [...idsOf(`b${round}-`, 2), ...idsOf(`t${round}--`, 2)]),
    ...[claim(one, 'one'), claim(other, 'other')],
    ...[`t${before}-1`, `t${before}-3`, `b${before}-2`].map(cancel),
  ];
}

function limited(...ids: readonly string[]): readonly SubmissionInput[] {
  return keyed(...ids).map((run) => ({ ...run, concurrency: one }));
}

async function depthsOf(scene: CaseScene): Promise<Record<string, number>> {
  return Object.fromEntries((await scene.broker.attend()).map(({ lane, waiting }) => [lane, waiting]));
}
