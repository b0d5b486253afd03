import { cancelRuns } from '@retry/core/broker/kit';
import { equal, matches, rejectsWith } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, idsIn, LONG_MS } from '../case-scene.ts';
import { listIds } from '../list-pages.ts';
import { settlementOf } from '../settlement-of.ts';

/** What `list` returns, and in which order. */
export const listCases: CasesByName = {
  'list returns the runs of a state': async (scene) => {
    await scene.submit('c', 'a', 'b', { id: 'later', delayMs: LONG_MS });
    await cancelRuns(scene.broker, ['b']);

    equal(await listIds(scene, { state: 'submitted' }), ['c', 'a']);
    equal(await listIds(scene, { state: 'scheduled' }), ['later']);
    equal(await listIds(scene, { state: 'cancelled' }), ['b']);
    equal(await listIds(scene, { state: 'completed' }), []);
    equal(await listIds(scene, { state: 'unsubmitted' }), []);
  },

  'list returns whole runs': async (scene) => {
    const run = await scene.start({ id: 'a', payload: '[1]' });

    equal(await scene.broker.list({ state: 'started', limit: 1 }), { runs: [run] });
  },

  'list returns submitted runs by lane, the one that is claimed next first': async (scene) => {
    await scene.submit('z', { id: 'm', lane: 'a' }, { id: 'n', lane: 'Z' }, 'y', 'x', { id: 'b', lane: 'a' });
    const claimed = await scene.claim({ limit: 2 });
    const [z, y] = claimed.map(({ run }) => run);
    await scene.settleNow('retry', z);
    await scene.settleNow('release', y);
    await scene.submit('w');

    const listed = await listIds(scene, { state: 'submitted' });
    const claims = await scene.claimIds({ lanes: ['Z', 'a', 'l'] });

    equal(listed.slice(0, 4), ['n', 'm', 'b', 'y']);
    equal(listed, claims);
  },

  'list returns runs that wait for their concurrency key where they were in their lane': async (scene) => {
    const keyed = (id: string, lane = 'l') => ({ id, lane, concurrency });
    await scene.submit(keyed('first'), keyed('c'), 'plain', keyed('a'), keyed('other', 'a'), 'last');
    const claimed = await scene.claim({ limit: 2 });
    const order = ['other', 'c', 'a', 'last'];

    equal(idsIn(claimed), ['first', 'plain']);
    equal(await listIds(scene, {}), order);
    equal(await listIds(scene, { limit: 1 }), order);

    const [first] = claimed;
    await scene.settleNow('complete', first);
    equal(await listIds(scene, { limit: 1 }), order);
    equal(await scene.claimIds({ lanes: ['l'] }), ['c', 'last']);
    equal(await listIds(scene, {}), ['other', 'a']);
  },

  'list returns a run whose concurrency key is free again behind those that still wait for another key':
    async (scene) => {
      const keyed = (id: string, key: string) => ({
        id,
        concurrency: { key, limit: 1, whenFull: 'wait' as const },
      });
      await scene.submit(
        keyed('x1', 'x'),
        keyed('y1', 'y'),
        keyed('x2', 'x'),
        keyed('y2', 'y'),
        keyed('x3', 'x'),
      );
      const [, y1] = await scene.claim();
      await scene.settleNow('complete', y1);

      equal(await listIds(scene, {}), ['x2', 'y2', 'x3']);
      equal(await listIds(scene, { limit: 1 }), ['x2', 'y2', 'x3']);
    },

  'list returns scheduled runs by lane, the one that is due first before the others': async (scene) => {
    const at = (await scene.now()) + LONG_MS;
    await scene.submit(
      { id: 'late', runAt: at + 9 },
      { id: 'b', runAt: at },
      { id: 'a', runAt: at },
      { id: 'other', lane: 'a', runAt: at + 5 },
      { id: 'early', runAt: at - 1 },
    );

    equal(await listIds(scene, { state: 'scheduled' }), ['other', 'early', 'b', 'a', 'late']);
    equal(await listIds(scene, { state: 'scheduled', limit: 1 }), ['other', 'early', 'b', 'a', 'late']);
    equal(await listIds(scene, { state: 'scheduled', lane: 'l', limit: 2 }), ['early', 'b', 'a', 'late']);
    equal(await listIds(scene, { state: 'scheduled', lane: 'none' }), []);
  },

  'list returns dead letters by id, capitals first': async (scene) => {
    for (const id of ['b', 'A', 'a', 'C']) await fail(scene, 'l', id, []);

    equal(await listIds(scene, { state: 'failed' }), ['A', 'C', 'a', 'b']);
    equal(await listIds(scene, { state: 'failed', limit: 3 }), ['A', 'C', 'a', 'b']);
  },

  'list returns ended runs as they ended, those whose result is kept for a caller first': async (scene) => {
    for (const id of ['c', 'a', 'b']) await complete(scene, { id });
    await complete(scene, { id: 'sooner', keepResultMs: LONG_MS });
    await complete(scene, { id: 'later', keepResultMs: 2 * LONG_MS });
    await complete(scene, { id: 'first', keepResultMs: LONG_MS / 2 });
    const order = ['first', 'sooner', 'later', 'c', 'a', 'b'];

    equal(await listIds(scene, { state: 'completed' }), order);
    equal(await listIds(scene, { state: 'completed', limit: 1 }), order);

    await scene.broker.get(['sooner'], { collect: true });
    equal(await listIds(scene, { state: 'completed', limit: 2 }), [
      ...['first', 'later', 'c', 'a', 'b', 'sooner'],
    ]);
  },

  'list omits failed runs that are disposable if asked to': async (scene) => {
    await fail(scene, 'l', 'kept', []);
    const run = await scene.start('disposable');
    await scene.settle(settlementOf(run, { type: 'fail', at: await scene.now() }, { isDisposable: true }));

    equal(await listIds(scene, { state: 'failed' }), ['kept', 'disposable']);
    equal(await listIds(scene, { state: 'failed', disposable: 'omit' }), ['kept']);
  },

  'list filters by lane': async (scene) => {
    await scene.submit('a', { id: 'b', lane: 'm' }, 'c', { id: 'd', lane: 'm' }, { id: 'e', lane: 'n' });

    equal(await listIds(scene, { lane: 'm', limit: 1 }), ['b', 'd']);
    equal(await listIds(scene, { lane: 'none' }), []);

    await scene.claim({ lanes: ['l', 'm', 'n'] });
    equal([...(await listIds(scene, { state: 'started', lane: 'm', limit: 1 }))].sort(), ['b', 'd']);
  },

  'list filters by the name of the latest error': async (scene) => {
    await fail(scene, 'l', 'a', ['TypeError']);
    await fail(scene, 'l', 'b', ['TypeError', 'RangeError']);
    await fail(scene, 'l', 'c', []);

    equal(await listIds(scene, { state: 'failed', errorName: 'TypeError' }), ['a']);
    equal(await listIds(scene, { state: 'failed', errorName: 'RangeError' }), ['b']);
  },

  'list filters by when the run ended': async (scene) => {
    await fail(scene, 'l', 'a', []);
    await scene.advance(5);
    const between = await scene.now();
    await fail(scene, 'l', 'b', []);

    equal(await listIds(scene, { state: 'failed', endedBefore: between }), ['a']);
    equal(await listIds(scene, { state: 'failed', endedBefore: between + LONG_MS }), ['a', 'b']);
  },

  'list applies all filters together': async (scene) => {
    await fail(scene, 'l', 'a', ['TypeError']);
    await fail(scene, 'm', 'b', ['TypeError']);
    await fail(scene, 'm', 'c', ['RangeError']);
    await fail(scene, 'm', 'd', ['TypeError']);
    const query = { state: 'failed', lane: 'm', errorName: 'TypeError' } as const;

    equal(await listIds(scene, query), ['b', 'd']);
    equal(await listIds(scene, { ...query, limit: 1 }), ['b', 'd']);
  },

  'list refuses what is not the next of a page of the same state and lane': async (scene) => {
    await scene.submit('a', 'b', { id: 'c', delayMs: LONG_MS });
    const query = { state: 'submitted', limit: 1 } as const;
    const { next = '' } = await scene.broker.list(query);
    const wrong = { code: 'INVALID_OPTIONS', problems: [{ path: 'after' }] };

    await rejectsWith(scene.broker.list({ ...query, after: 'a' }), wrong);
    await rejectsWith(scene.broker.list({ ...query, after: '' }), wrong);
    await rejectsWith(scene.broker.list({ ...query, after: next.slice(0, -1) }), wrong);
    await rejectsWith(scene.broker.list({ ...query, after: next.replace('waiting', 'failing') }), wrong);
    await rejectsWith(scene.broker.list({ ...query, lane: 'l', after: next }), wrong);
    await rejectsWith(scene.broker.list({ ...query, state: 'scheduled', after: next }), wrong);
    matches(await scene.broker.list({ ...query, after: next }), { runs: [{ id: 'b' }] });
  },
};

async function complete(scene: CaseScene, run: { readonly id: string; readonly keepResultMs?: number }) {
  await scene.settleNow('complete', await scene.start(run));
}

/** Starts a run and fails it with these errors. */
export async function fail(
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
