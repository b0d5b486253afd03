import type { GroupNotice } from '@retry/core/broker';
import { discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { claimGroupNotices } from '@retry/worker';
import { equal, matches } from '../../packages/broker-contract/src/assertions.ts';
import type { BrokerCase, CasesByName } from '../../packages/broker-contract/src/broker-case.ts';
import { defineCases } from '../../packages/broker-contract/src/broker-case.ts';
import type { CaseScene } from '../../packages/broker-contract/src/case-scene.ts';
import { deadBy, die, group } from '../../packages/broker-contract/src/groups/grouped.ts';

/** How groups that are new, or have doubled, are noticed. */
const oneClientCases: CasesByName = {
  'a new group is noticed once, with all that is kept of it': async (scene) => {
    const run = await scene.start('a');
    const endedAt = (run.startedAt ?? 0) + 5;
    await scene.settle(deadBy(run, 'oops', { type: 'fail', at: endedAt }));

    const notices = await claimNotices(scene);

    const kept = { count: 1, attempts: 1, firstSeenAt: endedAt, lastSeenAt: endedAt, sampleId: 'a' };
    equal(notices, [{ kind: 'new', ...group('oops'), lane: 'l', ...kept, isOther: false }]);
    equal(await claimNotices(scene), []);
  },

  'each doubling is noticed once': async (scene) => {
    const noticed: string[] = [];

    for (let count = 1; count <= 17; count += 1) {
      await die(scene, { [`run-${count}`]: 'x' });
      noticed.push(...(await shown(scene)));
    }

    equal(noticed, ['new l/x 1', 'doubled l/x 2', 'doubled l/x 4', 'doubled l/x 8', 'doubled l/x 16']);
  },

  'what came since the notice before is one notice': async (scene) => {
    await die(scene, { a: 'x', b: 'x', c: 'x' });
    equal(await shown(scene), ['new l/x 3']);
    await die(scene, { d: 'x', e: 'x' });
    equal(await shown(scene), []);
    await die(scene, { f: 'x', g: 'x', h: 'x', i: 'x', j: 'x', k: 'x', m: 'x', n: 'x' });

    equal(await shown(scene), ['doubled l/x 13']);
  },

  'each lane has groups of its own, in order': async (scene) => {
    await die(scene, { a: 'y' }, 'm');
    await die(scene, { b: 'y', c: 'x', d: 'y' }, 'l');

    equal(await shown(scene), ['new l/x 1', 'new l/y 2', 'new m/y 1']);
  },

  'dead letters without a group are noticed under other': async (scene) => {
    const run = await scene.start('a');
    await scene.settle({ ...deadBy(run, 'oops'), group: group('other') });

    matches(await claimNotices(scene), [{ kind: 'new', id: 'other', isOther: true, count: 1 }]);
  },

  'a group from which dead letters have left is noticed when it has more than ever': async (scene) => {
    await die(scene, { a: 'x', b: 'x', c: 'x', d: 'x' });
    await claimNotices(scene);
    await redriveRuns(scene.broker, ['a', 'b']);
    await discardRuns(scene.broker, ['c']);
    equal(await shown(scene), []);
    await die(scene, { a: 'x', b: 'x', e: 'x' });
    equal(await shown(scene), []);

    await die(scene, { h: 'x', i: 'x', j: 'x', k: 'x' });

    equal(await shown(scene), ['doubled l/x 8']);
  },

  'a group that was found empty is new again': async (scene) => {
    await die(scene, { a: 'x', b: 'x', c: 'y' });
    await claimNotices(scene);
    await discardRuns(scene.broker, ['a', 'b']);
    equal(await shown(scene), []);

    await die(scene, { d: 'x', e: 'y' });

    equal(await shown(scene), ['new l/x 1', 'doubled l/y 2']);
  },

  'a group that is empty before it is looked at is not noticed': async (scene) => {
    await die(scene, { a: 'x' });
    await discardRuns(scene.broker, ['a']);

    equal(await shown(scene), []);
  },
};

/** How notices are shared by several clients of one storage. */
const clientsCases: CasesByName = {
  'of several callers, one gets a notice': async (scene) => {
    const others = await Promise.all([scene.open(), scene.open()]);
    const all = [scene.broker, ...others].map((broker) => ({ broker }));
    const noticed: string[] = [];

    for (let round = 1; round <= 8; round += 1) {
      await die(scene, { [`a-${round}`]: 'x', [`b-${round}`]: round > 4 ? 'y' : 'x' });
      noticed.push(...(await Promise.all(all.map(shown))).flat());
    }

    equal([...noticed].sort(), [
      ...['doubled l/x 4', 'doubled l/x 8', 'doubled l/y 2', 'doubled l/y 4', 'new l/x 2', 'new l/y 1'],
    ]);
  },
};

/** The rules of `claimGroupNotices` over any broker that has figures, in the form of the contract's. */
export const groupNoticeCases: readonly BrokerCase[] = [
  ...defineCases(oneClientCases, { requires: ['figures'] }),
  ...defineCases(clientsCases, { requires: ['figures', 'several-clients'] }),
];

function claimNotices({ broker }: Pick<CaseScene, 'broker'>): Promise<readonly GroupNotice[]> {
  return claimGroupNotices(broker);
}

/** Claims notices, as `new l/oops 1`. */
async function shown(scene: Pick<CaseScene, 'broker'>): Promise<readonly string[]> {
  return (await claimNotices(scene)).map(({ kind, lane, id, count }) => `${kind} ${lane}/${id} ${count}`);
}
