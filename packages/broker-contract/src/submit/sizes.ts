import { discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { idsIn, PASS_MS } from '../case-scene.ts';
import { listPages } from '../list-pages.ts';
import { settlementOf } from '../settlement-of.ts';

const MEBIBYTE = 1_048_576;

/** A call carries 8 MiB, and one run may exceed that. */
const MAX_RUNS = 9;

const ids: readonly string[] = /* @__PURE__ */ Array.from(
  { length: 20 },
  (_, index) => `run-${String(index).padStart(2, '0')}`,
);

/** Large runs are returned in several batches; none is left out. */
export const sizesCases: CasesByName = {
  'runs of a mebibyte are claimed in batches, in their order': async (scene) => {
    await submitLarge(scene);

    const claims = await pages(() => scene.claimIds());

    equal(claims.flat(), ids);
    atMost(Math.max(...claims.map(({ length }) => length)), MAX_RUNS);
  },

  'runs of a mebibyte are claimed in batches from several lanes': async (scene) => {
    await scene.submit(
      ...ids.map((id, index) => ({ id, payload: payloadOf(MEBIBYTE), lane: index % 2 === 0 ? 'x' : 'y' })),
    );

    const claims = await pages(() => scene.claimIds({ lanes: ['x', 'y'] }));

    equal([...claims.flat()].sort(), ids);
    atMost(Math.max(...claims.map(({ length }) => length)), MAX_RUNS);
  },

  'runs of a mebibyte are the same in a repeated claim': async (scene) => {
    await submitLarge(scene);
    const first = await scene.claimIds({ requestId: 'lost' });

    equal(await scene.claimIds({ requestId: 'lost' }), first);
  },

  'runs of a mebibyte are listed in pages, and only one without next is the last': async (scene) => {
    await submitLarge(scene);

    const listed = await listPages(scene, { state: 'submitted', limit: 1_000 });

    equal(listed.flat(), ids);
    atMost(Math.max(...listed.map(({ length }) => length)), MAX_RUNS);
  },

  'runs of a mebibyte are listed in one page without their payloads': async (scene) => {
    await submitLarge(scene);

    const listed = (await scene.broker.list({ state: 'submitted', limit: 1_000, payloads: 'omit' })).runs;

    equal(idsIn(listed), ids);
    equal(new Set(listed.map((run) => run.payload)), new Set(['']));
  },

  'runs of a mebibyte are read by their ids, all of them': async (scene) => {
    await submitLarge(scene);

    const read = await scene.broker.get(ids);

    equal(
      read.map((run) => run?.payload.length),
      ids.map(() => MEBIBYTE),
    );
  },

  'runs of a mebibyte are found expired without their payloads': async (scene) => {
    await submitLarge(scene);
    await pages(() => scene.claimIds({ leaseMs: 1 }));
    await scene.advance(PASS_MS);

    const found = await scene.broker.findExpired(1_000);

    equal(found.map(({ id }) => id).sort(), ids);
    equal(new Set(found.map((run) => run.payload)), new Set(['']));
  },

  'runs of a mebibyte are redriven and discarded in one call': async (scene) => {
    await submitLarge(scene);
    await pages(async () => {
      const claimed = await scene.claim();
      await scene.settleNow('fail', ...claimed);
      return idsIn(claimed);
    });

    const redriven = await redriveRuns(scene.broker, ids.slice(0, 10));
    const discarded = await discardRuns(scene.broker, ids.slice(10));

    equal(new Set(redriven), new Set(['redriven']));
    equal(new Set(discarded), new Set(['discarded']));
    matches(await scene.broker.audit(), { submitted: 10, forgotten: 10 });
  },

  'a run larger than a batch is claimed, listed and read alone': async (scene) => {
    const huge = payloadOf(9 * MEBIBYTE);
    await scene.submit({ id: 'a', payload: huge }, 'b');

    const [first] = (await scene.broker.list({ state: 'submitted', limit: 10 })).runs;
    const claims = await pages(() => scene.claimIds());

    strictEqual(first?.payload.length, huge.length);
    equal(claims, [['a'], ['b']]);
    strictEqual((await scene.read('a')).payload === huge, true);
  },

  'list without payloads returns the rest of each run': async (scene) => {
    const run = await scene.start({ id: 'a', payload: '[7]' });
    const at = await scene.now();
    const errors = [{ epoch: 1, at, name: 'Error', message: 'no', stack: 'at a' }];
    await scene.settle(settlementOf(run, { type: 'fail', at }, { errors, result: '"half"' }));
    const { result: _, ...kept } = await scene.read('a');

    const listed = (await scene.broker.list({ state: 'failed', limit: 10, payloads: 'omit' })).runs;

    equal(listed, [{ ...kept, payload: '' }]);
    matches((await scene.broker.list({ state: 'failed', limit: 10, payloads: 'include' })).runs, [
      { payload: '[7]', result: '"half"' },
    ]);
  },
};

function submitLarge(scene: CaseScene): Promise<void> {
  return scene.submit(...ids.map((id) => ({ id, payload: payloadOf(MEBIBYTE) })));
}

/** Asks until an answer is empty. */
async function pages(ask: () => Promise<readonly string[]>): Promise<string[][]> {
  const found: string[][] = [];
  while (found.length <= ids.length) {
    const page = await ask();
    if (page.length === 0) return found;
    found.push([...page]);
  }
  throw new Error('there are more pages than runs');
}

/** JSON text of this many bytes. */
function payloadOf(bytes: number): string {
  return JSON.stringify('x'.repeat(bytes - 2));
}
