import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { atMost, equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { idsIn, LONG_MS } from '../case-scene.ts';
import { listIds, listPages } from '../list-pages.ts';
import { fail } from './list.ts';

/** What the pages of a list return while runs come, go and move. */
export const listMovesCases: CasesByName = {
  'list pages by limit and after': async (scene) => {
    const ids = idsOf('id', 25);
    await scene.submit(...ids);

    const pages = await listPages(scene, { state: 'submitted', limit: 10 });

    equal(pages.flat(), ids);
    atMost(Math.max(...pages.map(({ length }) => length)), 10);
    equal(await listPages(scene, { state: 'submitted', limit: 1_000 }), [ids]);
    equal((await listPages(scene, { state: 'submitted', limit: 1 })).flat(), ids);
  },

  'list continues behind a page as often as it is asked to': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const { next } = await scene.broker.list({ state: 'submitted', limit: 1 });
    const query = { state: 'submitted', limit: 9, ...(next !== undefined && { after: next }) } as const;

    equal(await listIds(scene, query), ['b', 'c']);
    equal(await listIds(scene, query), ['b', 'c']);
  },

  'list shows each run that stays exactly once while others come and go': async (scene) => {
    const ids = idsOf('run', 12);
    const passes = (id: string): boolean => ids.indexOf(id) % 3 === 0;
    await scene.submit(...ids.map((id) => ({ id, lane: passes(id) ? 'passing' : 'l' })));
    let count = 0;

    const pages = await listPages(scene, { state: 'submitted', limit: 3 }, async () => {
      count += 1;
      await scene.submit({ id: `a-${count}`, lane: 'a' }, { id: `new-${count}`, lane: 'passing' });
      await finishNext(scene, 'passing');
    });

    equal(
      pages.flat().filter((id) => ids.includes(id) && !passes(id)),
      ids.filter((id) => !passes(id)),
    );
  },

  'list continues behind a page whose runs were claimed, cancelled, or cancelled and discarded': async (
    scene,
  ) => {
    const ids = idsOf('run', 20);
    await scene.submit(...ids);

    const pages = await listPages(scene, { state: 'submitted', limit: 4 }, async (page) => {
      const [first = '', ...rest] = page;
      if (first === 'run-00') await scene.claim({ limit: 6 });
      await cancelRuns(scene.broker, rest);
      await discardRuns(scene.broker, rest.slice(1));
    });

    // Two of the second page were claimed before they were read.
    equal(pages.flat(), [...ids.slice(0, 4), ...ids.slice(6)]);
  },

  'list shows each run that stays in a lane while claimed ones come back behind it': async (scene) => {
    await scene.submit(...idsOf('run', 10));
    const seen = new Map<string, number>();
    let turn = 0;

    await listPages(scene, { state: 'submitted', limit: 5 }, async (page) => {
      for (const id of page) seen.set(id, (seen.get(id) ?? 0) + 1);
      turn += 1;
      if (turn > 1) return;
      // The first half is back behind the second one, of which then only the last run stays.
      await scene.settleNow('retry', ...(await scene.claim({ limit: 5 })));
      for (let count = 0; count < 4; count += 1) await finishNext(scene, 'l');
    }).then((pages) => {
      for (const id of pages.at(-1) ?? []) seen.set(id, (seen.get(id) ?? 0) + 1);
    });

    equal(seen.get('run-09'), 1);
  },

  'list shows each run that waits for its concurrency key, while others of it start': async (scene) => {
    const concurrency = { key: 'k', limit: 2, whenFull: 'wait' } as const;
    const ids = idsOf('run', 12);
    await scene.submit(...ids.map((id) => ({ id, concurrency })));
    const started: string[] = [];

    const pages = await listPages(scene, { state: 'submitted', limit: 2 }, async () => {
      const claimed = await scene.claim();
      started.push(...idsIn(claimed));
      await scene.settleNow('complete', ...claimed.slice(0, 1));
    });

    const stayed = ids.filter((id) => !started.includes(id));
    equal([...new Set(pages.flat().filter((id) => stayed.includes(id)))], stayed);
  },

  'list pages through dead letters that are redriven page by page': async (scene) => {
    const ids = idsOf('run', 5);
    for (const id of ids) await fail(scene, 'l', id, []);

    const pages = await listPages(scene, { state: 'failed', limit: 2 }, async (page) => {
      await redriveRuns(scene.broker, page);
    });

    equal(pages.flat(), ids);
    matches(await scene.broker.audit(), { submitted: 4, ended: { failed: 1 } });
  },

  'list pages through completed runs that are discarded page by page': async (scene) => {
    const ids = idsOf('run', 7);
    for (const id of ids) {
      await scene.submit(id);
      await finishNext(scene, 'l');
    }

    const pages = await listPages(scene, { state: 'completed', limit: 2 }, async (page) => {
      await discardRuns(scene.broker, page);
      await scene.submit(`more-${page[0]}`);
      await finishNext(scene, 'l');
    });

    equal(pages.flat().slice(0, 7), ids);
    equal(new Set(pages.flat()).size, pages.flat().length);
  },

  'list shows each started run once while all leases are renewed between its pages': async (scene) => {
    const ids = idsOf('run', 40);
    await scene.submit(...ids);
    const claimed = await scene.claim({ limit: 40 });
    const leases = claimed.map(({ run: { id, epoch } }) => ({ id, epoch }));
    let leaseMs = LONG_MS;

    const pages = await listPages(scene, { state: 'started', limit: 10 }, async () => {
      leaseMs += 1_000;
      await scene.broker.heartbeat(leases, leaseMs);
    });

    equal([...pages.flat()].sort(), ids);
  },

  'list pages through scheduled runs while the due ones are promoted': async (scene) => {
    const at = (await scene.now()) + 1_000;
    const ids = idsOf('run', 6);
    await scene.submit(...ids.map((id, index) => ({ id, runAt: index < 3 ? at : at + 600_000 + index })));

    const pages = await listPages(scene, { state: 'scheduled', limit: 2 }, async () => {
      await scene.advancePast(at);
      await scene.claim();
    });

    equal(pages.flat(), ['run-00', 'run-01', 'run-03', 'run-04', 'run-05']);
  },
};

function idsOf(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(2, '0')}`);
}

/** Claims the next run of a lane and completes it. */
async function finishNext(scene: CaseScene, lane: string): Promise<void> {
  await scene.settleNow('complete', ...(await scene.claim({ lanes: [lane], limit: 1 })));
}
