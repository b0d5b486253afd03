/** Commands that ask what operators ask, and what they have to be told. */

import { isDeepStrictEqual } from 'node:util';
import type { GroupPage } from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import { listWorkers } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { figuresOf } from '../../packages/broker-contract/src/insight/figures-of.ts';
import { assertSame } from './broker-agrees.ts';
import type { Real } from './broker-commands.ts';
import type { Model } from './broker-model.ts';
import { modelGroups } from './broker-model.ts';

const LANES = ['x', 'y', 'z'];

/** Asks for all figures. What the model knows is compared with it; all of it with that of the other broker of a pair. */
export function insights(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return fc
    .record({ bucketMs: fc.integer({ min: 1, max: 200 }), buckets: fc.integer({ min: 1, max: 6 }) })
    .map((spans) => ({
      check: () => true,
      toString: () => `figures, ${spans.buckets} spans of ${spans.bucketMs} ms`,
      run: async (model: Model, { broker }: Real) => {
        if (broker.figures === undefined) return;
        await askAll(model, figuresOf({ broker }), spans);
        const names = (await listWorkers(broker)).map(({ worker }) => worker);
        if (!isDeepStrictEqual(names, [...names].sort())) assertSame(names, [...names].sort());
      },
    }));
}

async function askAll(
  model: Model,
  figures: FigureSources,
  spans: { readonly bucketMs: number; readonly buckets: number },
): Promise<void> {
  const { at, lanes } = await figures.lanes({ lanes: LANES });
  const known = [...model.runs.values()];
  for (const { lane, waiting, scheduled, started } of lanes) {
    const states = known.filter((run) => run.lane === lane).map(({ state }) => state);
    // Of a run that is due the model does not know whether it was promoted already.
    assertSame(
      waiting.count + scheduled.count,
      states.filter((state) => state === 'submitted' || state === 'scheduled').length,
    );
    assertSame(started.count, states.filter((state) => state === 'started').length);
  }
  await figures.lanes({});
  const { counts, before, after } = await figures.dueTimes({ ...spans, from: at });
  const all = known.filter(({ state }) => state === 'submitted' || state === 'scheduled').length;
  const counted = before.count + after.count + counts.reduce((sum, count) => sum + count, 0);
  if (counted > all) assertSame(counted, all);
  await askAboutGroups(model, figures);
  const { searched, counts: attempts } = await figures.attempts({});
  assertSame(searched, all);
  assertSame(
    searched,
    attempts.reduce((sum, { runs }) => sum + runs, 0),
  );
}

async function askAboutGroups(model: Model, figures: FigureSources): Promise<void> {
  const pages: GroupPage[] = [];
  for (let after: string | undefined; ; ) {
    const page: GroupPage = await figures.groups({ limit: 2, ...(after !== undefined && { after }) });
    pages.push(page);
    after = page.next;
    if (after === undefined) break;
  }
  const groups = pages.flatMap((page) => page.groups);
  assertSame(
    Object.fromEntries(groups.map(({ lane, id, count, attempts }) => [`${lane}/${id}`, [count, attempts]])),
    modelGroups(model),
  );
  const known = [...model.runs.values()].filter(({ errorGroup }) => errorGroup !== undefined);
  assertSame(new Set(pages.map(({ deadLetters }) => deadLetters)), new Set([known.length]));
  for (const { id, lane, sampleId } of groups)
    assertSame([model.runs.get(sampleId)?.errorGroup, model.runs.get(sampleId)?.lane], [id, lane]);
}
