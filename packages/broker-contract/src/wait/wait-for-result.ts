import { cancelRuns, redriveRuns } from '@retry/core/broker/kit';
import { strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { createCountedSignal } from './counted-signal.ts';
import { keepsWaiting } from './keeps-waiting.ts';

/** Calls that end no run with `keepResultMs`: each is prepared with the id of a run. */
const UNRELATED_CALLS: readonly (readonly [
  name: string,
  prepare: (scene: CaseScene, id: string) => Promise<() => Promise<unknown>>,
])[] = [
  ['a submission', async (scene, id) => () => scene.submit({ id, keepResultMs: LONG_MS })],
  [
    'the completion of a run without keepResultMs',
    async (scene, id) => {
      const run = await scene.start({ id, lane: id });
      return () => scene.settleNow('complete', run);
    },
  ],
  [
    'the cancellation of a run without keepResultMs',
    async (scene, id) => {
      await scene.submit(id);
      return () => cancelRuns(scene.broker, [id]);
    },
  ],
  [
    'a retry of a run with keepResultMs',
    async (scene, id) => {
      const run = await scene.start({ id, lane: id, keepResultMs: LONG_MS });
      return () => scene.settleNow('retry', run);
    },
  ],
];

/** When a wait for a result ends. A wait that does not end exceeds the timeout of its test. */
export const waitForResultCases: CasesByName = {
  'a wait for results ends when a run with keepResultMs is settled by': /* @__PURE__ */ each(
    () => ['complete', 'fail', 'cancel', 'stall', 'drop', 'limit'] as const,
    async (scene, type) => {
      const run = await startKept(scene, 'a');
      const waiting = wait(scene);

      await scene.settleNow(type, run);

      strictEqual(await waiting, undefined);
    },
  ),

  'a wait for results ends when a waiting run with keepResultMs is cancelled': async (scene) => {
    await scene.submit({ id: 'a', keepResultMs: LONG_MS });
    const waiting = wait(scene);

    await cancelRuns(scene.broker, ['a']);

    strictEqual(await waiting, undefined);
  },

  'a wait for results ends for all callers, by one settlement among others': async (scene) => {
    const kept = await startKept(scene, 'a');
    const other = await scene.start('b');
    const waiting = [wait(scene), wait(scene), wait(scene)];
    const at = await scene.now();

    await scene.settle(
      settlementOf(other, { type: 'complete', at }),
      settlementOf(kept, { type: 'complete', at }),
    );

    strictEqual((await Promise.all(waiting)).length, 3);
  },

  'a wait for results ends for a redriven run': async (scene) => {
    const run = await startKept(scene, 'a');
    await scene.settleNow('fail', run);
    await redriveRuns(scene.broker, ['a']);
    const [again] = await scene.claim();
    if (again === undefined) throw new Error('the run must be claimed');
    const waiting = wait(scene);

    await scene.settleNow('complete', again);

    strictEqual(await waiting, undefined);
  },

  'a wait for results does not end by %s': /* @__PURE__ */ each(
    () => UNRELATED_CALLS,
    async (scene, [_name, prepare]) => {
      const hasLasted = await keepsWaiting(scene, {
        wait: (options) => scene.broker.wait({ results: true, ...options }),
        prepare: (round) => prepare(scene, `run-${round}`),
      });

      strictEqual(hasLasted, true);
    },
  ),

  'a wait for results ends after its timeout, and immediately for a timeout of 0': async (scene) => {
    const waiting = scene.broker.wait({ results: true, timeoutMs: SHORT_MS });
    await scene.broker.wait({ results: true, timeoutMs: 0 });

    await scene.advance(PASS_MS);

    strictEqual(await waiting, undefined);
  },

  'a wait for results ends when its signal aborts, or is aborted': async (scene) => {
    const stop = new AbortController();
    const waiting = wait(scene, stop.signal);

    stop.abort();

    await waiting;
    strictEqual(await wait(scene, stop.signal), undefined);
  },

  'a wait for results removes its abort listener after': /* @__PURE__ */ each(
    () => ['result', 'timeout', 'abort'] as const,
    async (scene, end) => {
      const run = await startKept(scene, 'a');
      const signal = createCountedSignal();
      const waiting = scene.broker.wait({ results: true, timeoutMs: SHORT_MS, signal });

      if (end === 'result') await scene.settleNow('complete', run);
      if (end === 'timeout') await scene.advance(PASS_MS);
      if (end === 'abort') signal.abort();
      await waiting;

      strictEqual(signal.listeners.size, 0);
    },
  ),
};

function wait(scene: CaseScene, signal?: AbortSignal): Promise<void> {
  return scene.broker.wait({ results: true, timeoutMs: LONG_MS, signal });
}

function startKept(scene: CaseScene, id: string) {
  return scene.start({ id, keepResultMs: LONG_MS });
}
