import { redriveRuns } from '@retry/core/broker/kit';
import { equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { createCountedSignal } from './counted-signal.ts';
import { keepsWaiting } from './keeps-waiting.ts';

/** When a wait for work ends. A wait that does not end exceeds the timeout of its test. */
export const waitForWorkCases: CasesByName = {
  'a wait for work ends immediately when a run waits, or is due': async (scene) => {
    await scene.submit('a', { id: 'b', lane: 'm', delayMs: SHORT_MS });
    await wait(scene);

    await scene.advance(PASS_MS);

    strictEqual(await wait(scene, ['other', 'm']), undefined);
  },

  'a wait for work ends when a run is submitted to one of the lanes': async (scene) => {
    const waiting = wait(scene, ['other', 'l']);

    await scene.submit('a');

    strictEqual(await waiting, undefined);
  },

  'a wait for work ends for all callers': async (scene) => {
    const waiting = [wait(scene), wait(scene, ['l', 'm']), wait(scene)];

    await scene.submit('a', { id: 'b' }, { id: 'c' });

    strictEqual((await Promise.all(waiting)).length, 3);
  },

  'a wait for work ends when a scheduled run is due': async (scene) => {
    await scene.submit({ id: 'a', delayMs: SHORT_MS });
    const waiting = wait(scene);

    await scene.advance(PASS_MS);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },

  'a wait for work ends when a run is due that was scheduled during the wait': async (scene) => {
    await scene.submit({ id: 'late', delayMs: LONG_MS / 2 });
    const waiting = wait(scene);
    await scene.submit({ id: 'a', delayMs: SHORT_MS });

    await scene.advance(PASS_MS);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },

  'a wait for work ends when a run returns to its lane by': /* @__PURE__ */ each(
    () => ['release', 'retry', 'redrive'] as const,
    async (scene, how) => {
      const run = await scene.start('a');
      const waiting = wait(scene);

      if (how === 'release') await scene.settleNow('release', run);
      if (how === 'retry') await scene.settleNow('retry', run);
      if (how === 'redrive') {
        await scene.settleNow('fail', run);
        await redriveRuns(scene.broker, ['a']);
      }

      strictEqual(await waiting, undefined);
    },
  ),

  'a wait for work ends when a concurrency key has a free slot for a waiting run': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency });
    await scene.submit({ id: 'b', concurrency });
    await scene.claim();
    const waiting = wait(scene);

    await scene.settleNow('complete', run);

    await waiting;
    equal(await scene.claimIds(), ['b']);
  },

  'a wait for work ends after its timeout': async (scene) => {
    const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: SHORT_MS });

    await scene.advance(PASS_MS);

    strictEqual(await waiting, undefined);
  },

  'a wait for work ends immediately for a timeout of 0': async (scene) => {
    strictEqual(await scene.broker.wait({ lanes: ['l'], timeoutMs: 0 }), undefined);
  },

  'a wait for work does not end for other lanes and runs that are not due': async (scene) => {
    const hasLasted = await keepsWaiting(scene, {
      wait: (options) => scene.broker.wait({ lanes: ['l'], ...options }),
      prepare: async (round) => () =>
        scene.submit({ id: `a-${round}`, lane: 'm' }, { id: `b-${round}`, delayMs: LONG_MS }),
    });

    strictEqual(hasLasted, true);
  },

  'a wait for work ends when its signal aborts, or is aborted': async (scene) => {
    const stop = new AbortController();
    const waiting = wait(scene, ['l'], stop.signal);

    stop.abort();

    await waiting;
    strictEqual(await wait(scene, ['l'], stop.signal), undefined);
  },

  'a wait for work removes its abort listener after': /* @__PURE__ */ each(
    () => ['work', 'timeout', 'abort'] as const,
    async (scene, end) => {
      const signal = createCountedSignal();
      const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: SHORT_MS, signal });

      if (end === 'work') await scene.submit('a');
      if (end === 'timeout') await scene.advance(PASS_MS);
      if (end === 'abort') signal.abort();
      await waiting;

      strictEqual(signal.listeners.size, 0);
    },
  ),
};

function wait(scene: CaseScene, lanes: readonly string[] = ['l'], signal?: AbortSignal): Promise<void> {
  return scene.broker.wait({ lanes: lanes, timeoutMs: LONG_MS, signal });
}
