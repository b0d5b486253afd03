import type { ListQuery } from '@retry/core/broker';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** What `get` reads. */
export const getCases: CasesByName = {
  'get returns the runs in the order of the ids, and undefined for an unknown id': async (scene) => {
    await scene.submit('a', 'b');

    const runs = await scene.broker.get(['b', 'unknown', 'a', 'b']);

    equal(
      runs.map((run) => run?.id),
      ['b', undefined, 'a', 'b'],
    );
    equal(await scene.broker.get([]), []);
  },

  'get returns a snapshot that later calls do not change': async (scene) => {
    await scene.submit('a');
    const before = await scene.read('a');

    await scene.claim();

    matches(before, { state: 'submitted', epoch: 0 });
  },
};

/** What `list` returns. */
export const listCases: CasesByName = {
  'list returns the runs of a state by ascending id': async (scene) => {
    await scene.submit('c', 'a', 'b', { id: 'later', delayMs: 60_000 });
    await scene.broker.cancel(['b']);

    equal(await list(scene, { state: 'submitted' }), ['a', 'c']);
    equal(await list(scene, { state: 'scheduled' }), ['later']);
    equal(await list(scene, { state: 'cancelled' }), ['b']);
    equal(await list(scene, { state: 'completed' }), []);
  },

  'list returns whole runs': async (scene) => {
    const run = await scene.start({ id: 'a', payload: '[1]' });

    equal(await scene.broker.list({ state: 'started', limit: 1 }), [run]);
  },

  'list pages by limit and after': async (scene) => {
    const ids = Array.from({ length: 25 }, (_, index) => `id-${String(index).padStart(2, '0')}`);
    await scene.submit(...[...ids].reverse());

    const first = await list(scene, { limit: 10 });
    const second = await list(scene, { limit: 10, after: 'id-09' });
    const third = await list(scene, { limit: 10, after: 'id-19' });

    equal([...first, ...second, ...third], ids);
    equal(await list(scene, { limit: 10, after: 'id-24' }), []);
    equal(await list(scene, { limit: 1 }), ['id-00']);
  },

  'list shows each run that stays exactly once while others come and go': async (scene) => {
    const ids = Array.from({ length: 12 }, (_, index) => `run-${String(index).padStart(2, '0')}`);
    const passes = (id: string): boolean => ids.indexOf(id) % 3 === 0;
    // Submitted from the last id to the first, so that the order of the lanes is not that of the pages.
    await scene.submit(...[...ids].reverse().map((id) => ({ id, lane: passes(id) ? 'passing' : 'l' })));
    const seen: string[] = [];

    for (
      let page = await list(scene, { limit: 3 });
      page.length > 0 && seen.length < 3 * ids.length;
      page = await list(scene, { limit: 3, after: seen.at(-1) ?? '' })
    ) {
      seen.push(...page);
      await scene.submit({ id: `new-${seen.length}` }, { id: `${page[0]}-new`, lane: 'passing' });
      const [claimed] = await scene.claim({ lanes: ['passing'], limit: 1 });
      if (claimed !== undefined)
        await scene.settle(settlementOf(claimed.run, { type: 'complete', at: await scene.now() }));
    }

    equal(
      seen.filter((id) => ids.includes(id) && !passes(id)),
      ids.filter((id) => !passes(id)),
    );
  },

  'list orders capitals before small letters': async (scene) => {
    await scene.submit('B', 'a', 'C', 'b');

    equal(await list(scene, { limit: 2 }), ['B', 'C']);
    equal(await list(scene, { after: 'C' }), ['a', 'b']);
  },

  'list continues after an id that has been discarded': async (scene) => {
    await scene.submit('a', 'b', 'c');
    await scene.broker.cancel(['b']);
    await scene.broker.discard(['b']);

    equal(await list(scene, { after: 'b' }), ['c']);
  },

  'list filters by lane': async (scene) => {
    await scene.submit('a', { id: 'b', lane: 'm' }, 'c');

    equal(await list(scene, { lane: 'm' }), ['b']);
    equal(await list(scene, { lane: 'none' }), []);
  },

  'list filters by the name of the latest error': async (scene) => {
    await fail(scene, 'l', 'a', ['TypeError']);
    await fail(scene, 'l', 'b', ['TypeError', 'RangeError']);
    await fail(scene, 'l', 'c', []);

    equal(await list(scene, { state: 'failed', errorName: 'TypeError' }), ['a']);
    equal(await list(scene, { state: 'failed', errorName: 'RangeError' }), ['b']);
  },

  'list filters by when the run ended': async (scene) => {
    await fail(scene, 'l', 'a', []);
    await scene.advance(5);
    const between = await scene.now();
    await fail(scene, 'l', 'b', []);

    equal(await list(scene, { state: 'failed', endedBefore: between }), ['a']);
    equal(await list(scene, { state: 'failed', endedBefore: between + 60_000 }), ['a', 'b']);
  },

  'list applies all filters together': async (scene) => {
    await fail(scene, 'l', 'a', ['TypeError']);
    await fail(scene, 'm', 'b', ['TypeError']);
    await fail(scene, 'm', 'c', ['RangeError']);
    await fail(scene, 'm', 'd', ['TypeError']);
    const query = { state: 'failed', lane: 'm', errorName: 'TypeError' } as const;

    equal(await list(scene, query), ['b', 'd']);
    equal(await list(scene, { ...query, after: 'b' }), ['d']);
    equal(await list(scene, { ...query, limit: 1 }), ['b']);
  },

  'list pages through dead letters that are redriven page by page': async (scene) => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await fail(scene, 'l', id, []);
    const seen: string[] = [];

    for (
      let page = await list(scene, { state: 'failed', limit: 2 });
      page.length > 0 && seen.length < 2 * ids.length;
    ) {
      seen.push(...page);
      await scene.broker.redrive(page);
      page = await list(scene, { state: 'failed', limit: 2, after: seen.at(-1) ?? '' });
    }

    equal(seen, ids);
    matches(await scene.broker.audit(), { submitted: 5, ended: { failed: 0 } });
  },
};

async function list(scene: CaseScene, query: Partial<ListQuery>): Promise<readonly string[]> {
  return (await scene.broker.list({ state: 'submitted', limit: 1000, ...query })).map(({ id }) => id);
}

async function fail(
  scene: CaseScene,
  lane: string,
  id: string,
  errorNames: readonly string[],
): Promise<void> {
  const run = await scene.start({ id, lane });
  const at = await scene.now();
  const errors = errorNames.map((name, index) => ({ epoch: index, at, name, message: '' }));
  await scene.settle(settlementOf(run, { type: 'fail', at }, { errors }));
}
