import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { idsIn } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

const COUNT = 10_000;
const ids: readonly string[] = /* @__PURE__ */ Array.from({ length: COUNT }, (_, index) => `run-${index}`);

/** Large batches. */
export const batchesCases: CasesByName = {
  'batches of 10 000 runs are submitted, claimed and settled in one call each': async (scene) => {
    const submitted = await scene.broker.submit(ids.map((id) => ({ id, lane: 'l', payload: id })));
    const claimed = await scene.claim({ limit: COUNT });
    const at = await scene.now();
    const settled = await scene.settle(
      ...claimed.map(({ run }) => settlementOf(run, { type: 'complete', at }, { result: run.payload })),
    );

    equal(new Set(submitted), new Set(['created']));
    equal(idsIn(claimed), ids);
    strictEqual(settled.length, COUNT);
    equal(new Set(settled), new Set(['ok']));
    matches(await scene.broker.audit(), { created: COUNT, ended: { completed: COUNT } });
  },

  'batches of 10 000 runs are read, cancelled and discarded in one call each': async (scene) => {
    await scene.submit(...ids);

    const found = await scene.broker.get(ids);
    const cancelled = await cancelRuns(scene.broker, ids);
    const discarded = await discardRuns(scene.broker, ids);

    equal(
      found.map((run) => run?.id),
      ids,
    );
    equal(new Set(cancelled), new Set(['cancelled']));
    equal(new Set(discarded), new Set(['discarded']));
    matches(await scene.broker.audit(), { created: COUNT, forgotten: COUNT });
  },

  'batches of 10 000 runs get a heartbeat, are released, failed and redriven in one call each': async (
    scene,
  ) => {
    await scene.submit(...ids);
    const first = await scene.claim();
    const heartbeats = await scene.broker.heartbeat(
      first.map(({ run }) => ({ id: run.id, epoch: 1 })),
      60_000,
    );
    await scene.settleNow('release', ...first);
    const second = await scene.claim();
    await scene.settleNow('fail', ...second);

    const redriven = await redriveRuns(scene.broker, ids);

    equal(new Set(heartbeats), new Set(['ok']));
    equal(idsIn(second), ids);
    equal(new Set(redriven), new Set(['redriven']));
    matches(await scene.broker.audit(), { submitted: COUNT, started: 0 });
  },

  'batches of 10 000 runs that are due at the same instant are all claimed': async (scene) => {
    const runAt = (await scene.now()) + 10;
    await scene.submit(...ids.map((id) => ({ id, runAt })));
    await scene.advance(20);

    const claimed: string[] = [];
    for (let got = await scene.claimIds(); got.length > 0; got = await scene.claimIds()) claimed.push(...got);

    equal(claimed, ids);
  },
};
