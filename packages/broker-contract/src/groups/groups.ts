import { discardRuns, endRuns } from '@retry/core/broker/kit';
import { equal, matches, rejectsWith } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { countsOf, deadBy, die, group, groupsOf, pageOf } from './grouped.ts';

/** How a dead letter comes into its error group, and how groups are returned. */
export const groupsCases: CasesByName = {
  'a dead letter is counted under the group of its settlement, with all that is kept of it': async (
    scene,
  ) => {
    const run = await scene.start('a');
    const endedAt = (run.startedAt ?? 0) + 5;
    const next = { ...settlementOf(run, { type: 'fail', at: endedAt }).next, failures: 3, stalls: 2 };

    await scene.settle({ ...deadBy(run, 'oops'), next });

    matches(await scene.read('a'), { state: 'failed', errorGroup: 'oops' });
    const kept = { count: 1, attempts: 5, firstSeenAt: endedAt, lastSeenAt: endedAt, sampleId: 'a' };
    equal(await pageOf(scene.broker), {
      groups: [{ ...group('oops'), lane: 'l', ...kept, isOther: false }],
      deadLetters: 1,
    });
  },

  'a group counts what comes, from the first to the last': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const claimed = await scene.claim();
    const at = await scene.now();

    for (const [index, { run }] of claimed.entries()) {
      const title = `Error: ${index}`;
      const settlement = deadBy(run, 'oops', { type: 'fail', at: at + (index === 2 ? 5 : index * 10) });
      await scene.settle({ ...settlement, group: { id: 'oops', title } });
    }

    matches(await groupsOf(scene.broker), [
      { title: 'Error: 1', count: 3, attempts: 3, firstSeenAt: at, lastSeenAt: at + 10, sampleId: 'b' },
    ]);
  },

  'of dead letters that end at the same instant, the sample is the one that was settled last': async (
    scene,
  ) => {
    await scene.submit('b', 'a');
    const claimed = await scene.claim();
    const at = await scene.now();

    await scene.settle(...claimed.map(({ run }) => deadBy(run, 'oops', { type: 'fail', at })));

    matches(await groupsOf(scene.broker), [{ count: 2, sampleId: 'a' }]);
  },

  'a run is counted when it has': /* @__PURE__ */ each(
    () => ['fail', 'stall', 'limit'] as const,
    async (scene, type) => {
      const run = await scene.start('a');

      await scene.settle(deadBy(run, 'oops', { type, at: await scene.now() }));

      equal(await countsOf(scene.broker), { 'l/oops': 1 });
    },
  ),

  'a run is counted when it is given up after a stall': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settlement = settlementOf(run, [
      { type: 'stall', at },
      { type: 'giveUp', at },
    ]);

    await scene.settle({ ...settlement, group: group('oops') });

    equal(await countsOf(scene.broker), { 'l/oops': 1 });
  },

  'a run is not counted when it has': /* @__PURE__ */ each(
    () => ['complete', 'cancel', 'drop', 'release'] as const,
    async (scene, type) => {
      const run = await scene.start('a');

      await scene.settle(deadBy(run, 'oops', { type, at: await scene.now() }));

      equal(await groupsOf(scene.broker), []);
      equal((await scene.read('a')).errorGroup, undefined);
    },
  ),

  'a failed run that retention may delete is not counted': async (scene) => {
    const run = await scene.start('a');
    const settlement = deadBy(run, 'oops');

    await scene.settle({ ...settlement, next: { ...settlement.next, isDisposable: true } });

    equal(await groupsOf(scene.broker), []);
    equal((await scene.read('a')).errorGroup, undefined);
  },

  'a dead letter without a group is counted under other, whatever its run says': async (scene) => {
    const run = await scene.start('a');
    const settlement = settlementOf(run, { type: 'fail', at: await scene.now() });

    await scene.settle({ ...settlement, next: { ...settlement.next, errorGroup: 'mine' } });

    matches(await scene.read('a'), { errorGroup: 'other' });
    matches(await groupsOf(scene.broker), [{ id: 'other', title: 'Other errors', count: 1, isOther: true }]);
  },

  'a dead letter whose result a caller waits for is counted': async (scene) => {
    const run = await scene.start({ id: 'a', keepResultMs: 60_000 });

    await scene.settle(deadBy(run, 'oops'));
    await scene.broker.get(['a'], { collect: true });

    equal(await countsOf(scene.broker), { 'l/oops': 1 });
  },

  'a dead letter that submits another run is counted, and the other run is not': async (scene) => {
    const run = await scene.start('a');
    const submit = { id: '{a}next', lane: 'l', payload: '{}' };

    await scene.settle({ ...deadBy(run, 'oops'), submit });

    equal(await countsOf(scene.broker), { 'l/oops': 1 });
  },

  'a run that an operator fails is counted under the group of the request, or else under other': async (
    scene,
  ) => {
    await scene.submit('a', 'b', { id: 'c', delayMs: 60_000 }, 'd');
    const error = { name: 'Error', message: 'no' };

    await endRuns(scene.broker, [
      { id: 'a', as: 'failed', error, group: group('oops') },
      { id: 'b', as: 'failed', error },
      { id: 'c', as: 'failed', error, group: group('oops') },
      { id: 'd', as: 'completed', result: '1' },
    ]);

    equal(await countsOf(scene.broker), { 'l/oops': 2, 'l/other': 1 });
    matches(await scene.read('c'), { state: 'failed', errorGroup: 'oops' });
  },

  'a settlement that is sent again, or fenced, counts nothing': async (scene) => {
    const run = await scene.start('a');
    const settlement = deadBy(run, 'oops');
    await scene.settle(settlement);

    const answers = await scene.settle(
      settlement,
      { ...settlement, epoch: 7 },
      { ...settlement, id: 'unknown' },
    );

    equal(answers, ['already', 'fenced', 'gone']);
    equal(await countsOf(scene.broker), { 'l/oops': 1 });
  },

  'each lane has groups of its own': async (scene) => {
    await die(scene, { a: 'oops', b: 'oops' }, 'l');
    await die(scene, { c: 'oops' }, 'm');

    equal(await countsOf(scene.broker), { 'l/oops': 2, 'm/oops': 1 });
    matches(await pageOf(scene.broker, { lane: 'm' }), { groups: [{ lane: 'm', count: 1 }], deadLetters: 1 });
    equal(await pageOf(scene.broker, { lane: 'n' }), { groups: [], deadLetters: 0 });
  },

  'groups come by pages, those with most dead letters first, then by lane and id': async (scene) => {
    await die(scene, { a: 'x', b: 'y', c: 'z', d: 'z' }, 'm');
    await die(scene, { e: 'x' }, 'l');

    const first = await pageOf(scene.broker, { limit: 3 });
    const rest = await pageOf(scene.broker, {
      limit: 3,
      ...(first.next !== undefined && { after: first.next }),
    });

    const places = [...first.groups, ...rest.groups].map(({ lane, id }) => `${lane}/${id}`);
    equal(places, ['m/z', 'l/x', 'm/x', 'm/y']);
    equal([first.deadLetters, rest.deadLetters, rest.next], [5, 5, undefined]);
    const wrong = pageOf(scene.broker, { limit: 3, lane: 'l', after: first.next ?? '' });
    await rejectsWith(wrong, { code: 'INVALID_OPTIONS' });
  },

  'groups of a wrong query are refused': /* @__PURE__ */ each(
    () =>
      [
        ['limit 0', { limit: 0 }],
        ['limit 1001', { limit: 1_001 }],
        ['an empty lane', { lane: '' }],
        ['a cursor of nothing', { after: 'x' }],
      ] as const,
    async (scene, [, query]) => {
      await rejectsWith(pageOf(scene.broker, query), { code: 'INVALID_OPTIONS' });
    },
  ),

  'a settlement is refused whose group has': /* @__PURE__ */ each(
    () =>
      [
        ['an empty id', { id: '', title: 'x' }],
        ['an id of other characters', { id: 'é', title: 'x' }],
        ['a long id', { id: 'x'.repeat(65), title: 'x' }],
        ['an empty title', { id: 'x', title: '' }],
      ] as const,
    async (scene, [, wrong]) => {
      const run = await scene.start('a');
      const settlement = { ...deadBy(run, 'x'), group: wrong };

      await rejectsWith(scene.broker.exchange({ settle: [settlement] }), { code: 'INVALID_OPTIONS' });

      matches(await scene.read('a'), { state: 'started' });
      equal(await groupsOf(scene.broker), []);
    },
  ),

  'a lane has 1000 groups, and counts the rest under other until one of them is empty': async (scene) => {
    const ids = Array.from({ length: 1_001 }, (_, index) => `g${`${index}`.padStart(4, '0')}`);
    await die(scene, Object.fromEntries(ids.map((id) => [id, id])));
    await die(scene, { again: 'g0001', unseen: 'unseen' });
    await die(scene, { elsewhere: 'unseen' }, 'm');

    equal(await counted(scene, ['g0001', 'g0999', 'g1000', 'unseen', 'other']), [2, 1, 0, 1, 2]);
    matches(await scene.read('unseen'), { errorGroup: 'other' });
    matches(await scene.read('g1000'), { errorGroup: 'other' });
    await discardRuns(scene.broker, ['g0000']);
    await die(scene, { late: 'late' });
    equal(await counted(scene, ['late', 'other']), [1, 2]);
  },
};

async function counted(scene: CaseScene, ids: readonly string[]): Promise<readonly number[]> {
  const groups = await groupsOf(scene.broker, { limit: 1_000 });
  return ids.map((id) => groups.filter((one) => one.id === id).reduce((sum, { count }) => sum + count, 0));
}
