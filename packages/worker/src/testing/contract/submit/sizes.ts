import { atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { PASS_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

const MEBIBYTE = 1_048_576;

/** 8 MiB to a call, and what one run is over. */
const MAX_RUNS = 9;

/** What is large travels in parts; nothing is left out. */
export const sizesCases: CasesByName = {
  'runs of a mebibyte are claimed some at a time, in their order': async (scene) => {
    await submitLarge(scene);

    const claims = await pages(() => scene.claimIds());

    equal(claims.flat(), ids);
    atMost(Math.max(...claims.map(({ length }) => length)), MAX_RUNS);
  },

  'runs of a mebibyte are claimed some at a time from several lanes': async (scene) => {
    await scene.submit(...ids.map((id, index) => ({ id, payload, lane: index % 2 === 0 ? 'x' : 'y' })));

    const claims = await pages(() => scene.claimIds({ lanes: ['x', 'y'] }));

    equal([...claims.flat()].sort(), ids);
    atMost(Math.max(...claims.map(({ length }) => length)), MAX_RUNS);
  },

  'runs of a mebibyte are handed out again as the same few when the reply was lost': async (scene) => {
    await submitLarge(scene);
    const first = await scene.claimIds({ requestId: 'lost' });

    equal(await scene.claimIds({ requestId: 'lost' }), first);
  },

  'runs of a mebibyte are listed some at a time, and only an empty page is the last': async (scene) => {
    await submitLarge(scene);

    const listed = await pages(async (after) =>
      (await scene.broker.list({ state: 'submitted', limit: 1_000, after })).map(({ id }) => id),
    );

    equal(listed.flat(), ids);
    atMost(Math.max(...listed.map(({ length }) => length)), MAX_RUNS);
  },

  'runs of a mebibyte are listed at one time without their payloads': async (scene) => {
    await submitLarge(scene);

    const listed = await scene.broker.list({ state: 'submitted', limit: 1_000, payloads: 'omit' });

    equal(
      listed.map(({ id }) => id),
      ids,
    );
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
    const at = await scene.now();
    await pages(async () => {
      const claimed = await scene.claim();
      await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type: 'fail', at })));
      return claimed.map(({ run }) => run.id);
    });

    const redriven = await scene.broker.redrive(ids.slice(0, 10));
    const discarded = await scene.broker.discard(ids.slice(10));

    equal(new Set(redriven), new Set(['redriven']));
    equal(new Set(discarded), new Set(['discarded']));
    matches(await scene.broker.audit(), { waiting: 10, forgotten: 10 });
  },

  'a run larger than a batch is claimed, listed and read alone': async (scene) => {
    await scene.submit({ id: 'a', payload: huge }, 'b');

    const [first] = await scene.broker.list({ state: 'submitted', limit: 10 });
    const claims = await pages(() => scene.claimIds());

    strictEqual(first?.payload.length, huge.length);
    equal(claims, [['a'], ['b']]);
    strictEqual((await scene.read('a')).payload === huge, true);
  },

  'list without payloads gives the runs as they are but for payload and result': async (scene) => {
    const run = await scene.start({ id: 'a', payload: '[7]' });
    const at = await scene.now();
    const errors = [{ epoch: 1, at, name: 'Error', message: 'no', stack: 'at a' }];
    await scene.settle(settlementOf(run, { type: 'fail', at }, { errors, result: '"half"' }));
    const { result: _, ...kept } = await scene.read('a');

    const listed = await scene.broker.list({ state: 'failed', limit: 10, payloads: 'omit' });

    equal(listed, [{ ...kept, payload: '' }]);
    matches(await scene.broker.list({ state: 'failed', limit: 10, payloads: 'include' }), [
      { payload: '[7]', result: '"half"' },
    ]);
  },
};

const ids = Array.from({ length: 20 }, (_, index) => `run-${String(index).padStart(2, '0')}`);

const payload = JSON.stringify('x'.repeat(MEBIBYTE - 2));

function submitLarge(scene: CaseScene): Promise<void> {
  return scene.submit(...ids.map((id) => ({ id, payload })));
}

/** Asks for pages until one is empty: only that one is the last. */
async function pages(ask: (after: string) => Promise<readonly string[]>): Promise<string[][]> {
  const found: string[][] = [];
  while (found.length <= ids.length) {
    const page = await ask(found.at(-1)?.at(-1) ?? '');
    if (page.length === 0) return found;
    found.push([...page]);
  }
  throw new Error('there are more pages than runs');
}

const huge = JSON.stringify('x'.repeat(9 * MEBIBYTE));
