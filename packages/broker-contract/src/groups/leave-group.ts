import { discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches, rejectsWith } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { listIds } from '../list-pages.ts';
import { settlementOf } from '../settlement-of.ts';
import { countsOf, deadBy, die, group, groupsOf } from './grouped.ts';

/** How a dead letter leaves its error group, and how the dead letters of a group are listed. */
export const leaveGroupCases: CasesByName = {
  'a redriven run leaves its group with its attempts': /* @__PURE__ */ each(
    () => ['keep', 'reset'] as const,
    async (scene, attempts) => {
      await die(scene, { a: 'x', b: 'x', c: 'y' });

      await redriveRuns(scene.broker, ['a', 'c', 'a', 'unknown'], { keepAttempts: attempts === 'keep' });

      matches(await groupsOf(scene.broker), [{ id: 'x', count: 1, attempts: 1, sampleId: 'b' }]);
      equal((await scene.read('a')).errorGroup, undefined);
      matches(await scene.start('other'), { errorGroup: undefined });
    },
  ),

  'a run that waits again has no group, whatever its settlement says': /* @__PURE__ */ each(
    () => ['retry', 'release'] as const,
    async (scene, type) => {
      const run = await scene.start('a');
      const at = await scene.now();
      const { next, ...settlement } = settlementOf(
        run,
        type === 'retry' ? { type, at, runAt: at } : { type, at },
      );

      await scene.settle({ ...settlement, group: group('x'), next: { ...next, errorGroup: 'mine' } });

      equal((await scene.read('a')).errorGroup, undefined);
      matches((await scene.claim())[0]?.run, { id: 'a', errorGroup: undefined });
      equal(await groupsOf(scene.broker), []);
    },
  ),

  'a redriven run that dies again is counted under its new group': async (scene) => {
    await die(scene, { a: 'x' });
    await redriveRuns(scene.broker, ['a'], { keepAttempts: true });
    const [again] = await scene.claim();
    if (again !== undefined) await scene.settle(deadBy(again.run, 'y'));

    equal(await countsOf(scene.broker), { 'l/y': 1 });
    matches(await groupsOf(scene.broker), [{ attempts: 2 }]);
  },

  'a discarded run leaves its group with its attempts': async (scene) => {
    await die(scene, { a: 'x', b: 'x', c: 'y' });

    await discardRuns(scene.broker, ['b', 'c', 'b', 'unknown']);

    matches(await groupsOf(scene.broker), [{ id: 'x', count: 1, attempts: 1, sampleId: 'a' }]);
  },

  'a group whose latest run has left has its first one by id as its sample': async (scene) => {
    await die(scene, { c: 'x', b: 'x', d: 'x', a: 'y', e: 'x' });

    await discardRuns(scene.broker, ['e']);

    matches(await groupsOf(scene.broker), [{ id: 'x', count: 3, sampleId: 'b' }, { id: 'y' }]);
  },

  'a group that was empty begins anew': async (scene) => {
    await scene.submit('a', 'b');
    const [first, second] = await scene.claim();
    const at = await scene.now();
    if (first === undefined || second === undefined) throw new Error('the runs were not claimed');
    await scene.settle(deadBy(first.run, 'x', { type: 'fail', at: at - 5 }));
    await discardRuns(scene.broker, ['a']);
    equal(await groupsOf(scene.broker), []);

    await scene.settle(deadBy(second.run, 'x', { type: 'fail', at }));

    matches(await groupsOf(scene.broker), [{ count: 1, firstSeenAt: at, lastSeenAt: at }]);
  },

  'the dead letters of a group are listed by lane, then by id': async (scene) => {
    await die(scene, { c: 'x', b: 'y', d: 'x', f: 'x' }, 'm');
    await die(scene, { e: 'x', a: 'x' }, 'l');
    await redriveRuns(scene.broker, ['d']);

    const query = { state: 'failed', errorGroup: 'x' } as const;
    equal(await listIds(scene, { ...query, limit: 100 }), ['a', 'e', 'c', 'f']);
    equal(await listIds(scene, { ...query, limit: 1 }), ['a', 'e', 'c', 'f']);
    equal(await listIds(scene, { ...query, lane: 'm', limit: 1 }), ['c', 'f']);
    equal(await listIds(scene, { ...query, lane: 'n', limit: 10 }), []);
    equal(await listIds(scene, { ...query, errorGroup: 'z', limit: 10 }), []);
  },

  'a list of a group has the runs of the state only, with or without what is disposable': async (scene) => {
    await die(scene, { a: 'x', b: 'x' });
    const stalled = await scene.start('c');
    await scene.settle(deadBy(stalled, 'x', { type: 'stall', at: await scene.now() }));
    const failed = await scene.start('d');
    const at = await scene.now();
    await scene.settle(settlementOf(failed, { type: 'fail', at }, { isDisposable: true }));

    const query = { errorGroup: 'x', limit: 10 };
    equal(await listIds(scene, { ...query, state: 'stalled' }), ['c']);
    equal(await listIds(scene, { ...query, state: 'failed' }), ['a', 'b']);
    equal(await listIds(scene, { ...query, state: 'failed', disposable: 'omit' }), ['a', 'b']);
    equal(await listIds(scene, { ...query, state: 'rateLimited' }), []);
  },

  'a list of a group continues behind a run that has left it': async (scene) => {
    await die(scene, { a: 'x', b: 'x', c: 'x' });
    const query = { state: 'failed', errorGroup: 'x', limit: 2 } as const;
    const { runs, next = '' } = await scene.broker.list(query);
    await discardRuns(
      scene.broker,
      runs.map(({ id }) => id),
    );

    equal(await listIds(scene, { ...query, after: next }), ['c']);
    await rejectsWith(scene.broker.list({ ...query, errorGroup: 'y', after: next }), {
      code: 'INVALID_OPTIONS',
    });
  },

  'a list of a group is refused': /* @__PURE__ */ each(
    () =>
      [
        ['for a state without groups', { state: 'completed', errorGroup: 'x' }],
        ['for what is no id', { state: 'failed', errorGroup: 'x y' }],
      ] as const,
    async (scene, [, query]) => {
      await rejectsWith(scene.broker.list({ ...query, limit: 1 }), { code: 'INVALID_OPTIONS' });
    },
  ),
};
