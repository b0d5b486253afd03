import type { Concurrency } from '@retry/core/broker';
import { cancelRuns, endRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import type { Happening } from '../settlement-of.ts';
import { retryIn } from '../settlement-of.ts';

const one: Concurrency = { key: 'k', limit: 1, whenFull: 'wait', holdWhileRetrying: true };

/** Ways back into the lane, by the events of the settlement. */
const WAYS_BACK: readonly (readonly [name: string, happening: Happening])[] = [
  ['retry', 'retry'],
  ['a retry for later', (at) => ({ type: 'retry', at, runAt: at + SHORT_MS })],
  ['release', 'release'],
  ['a release for later', (at) => ({ type: 'release', at, runAt: at + SHORT_MS })],
  [
    'stall and recover',
    (at) => [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at + SHORT_MS },
    ],
  ],
  ['limit for later', (at) => ({ type: 'limit', at, runAt: at + SHORT_MS })],
];

/** Ways in which a run that keeps its slot ends while it waits. */
const WAYS_TO_END: readonly (readonly [name: string, end: (scene: CaseScene) => Promise<unknown>])[] = [
  ['cancel', ({ broker }) => cancelRuns(broker, ['a'])],
  ['an end by hand', ({ broker }) => endRuns(broker, [{ id: 'a', as: 'completed', result: '1' }])],
  [
    'a failure by hand',
    ({ broker }) => endRuns(broker, [{ id: 'a', as: 'failed', error: { name: 'Error', message: 'no' } }]),
  ],
];

/** `holdWhileRetrying`: a run keeps its slot from its start until it ends, also while it waits to start again. */
export const concurrencyOrderCases: CasesByName = {
  'holdWhileRetrying is kept with the run and returned by claims': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency: one });

    equal(run.concurrency, one);
    equal((await scene.read('a')).concurrency, one);
  },

  'holdWhileRetrying lets no run overtake one that waits again after': /* @__PURE__ */ each(
    () => WAYS_BACK,
    async (scene, [_name, events]) => {
      await submitBoth(scene, one);
      await scene.settleNow(events, await scene.claimOne());
      const early = await scene.claimIds({ limit: 0 });
      await scene.advance(PASS_MS);

      const again = await scene.claimOne();
      const none = await scene.claimIds();
      await scene.settleNow('complete', again);

      equal([early, again.id, again.epoch, none], [[], 'a', 2, []]);
      equal(await scene.claimIds(), ['b']);
    },
  ),

  'holdWhileRetrying keeps the order over many attempts, releases and stalls': async (scene) => {
    await submitBoth(scene, one);
    for (const [, events] of [...WAYS_BACK, ...WAYS_BACK]) {
      const run = await scene.claimOne();
      strictEqual(run.id, 'a');
      equal(await scene.claimIds({ lanes: ['l', 'm'] }), []);
      await scene.settleNow(events, run);
      await scene.advance(PASS_MS);
    }
    await scene.settleNow('complete', await scene.claimOne());

    equal(await scene.claimIds(), ['b']);
  },

  'holdWhileRetrying counts a run that waits for its retry, in whatever lane the others are': async (
    scene,
  ) => {
    await scene.submit({ id: 'a', concurrency: one }, { id: 'b', lane: 'm', concurrency: one });
    await scene.settleNow(retryIn(LONG_MS), await scene.claimOne());

    equal(await scene.claimIds({ lanes: ['m', 'l'] }), []);
  },

  'holdWhileRetrying frees the slot once when the waiting run ends by': /* @__PURE__ */ each(
    () => WAYS_TO_END,
    async (scene, [_name, end]) => {
      await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: one })));
      await scene.settleNow(retryIn(LONG_MS), await scene.claimOne());
      const full = await scene.claimIds();
      await end(scene);
      await end(scene);

      equal([full, await scene.claimIds()], [[], ['b']]);
    },
  ),

  'holdWhileRetrying frees the slot of a run that is cancelled in its lane': /* @__PURE__ */ each(
    () => WAYS_BACK.filter(([name]) => name === 'retry' || name === 'release'),
    async (scene, [_name, events]) => {
      await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: one })));
      const run = await scene.claimOne();
      const full = await scene.claimIds();
      await scene.settleNow(events, run);
      await cancelRuns(scene.broker, ['a']);

      equal([full, await scene.claimIds()], [[], ['b']]);
    },
  ),

  'holdWhileRetrying frees the slot when a cancel request ends the run instead of its retry': async (
    scene,
  ) => {
    await submitBoth(scene, one);
    const run = await scene.claimOne();
    await cancelRuns(scene.broker, ['a']);
    await scene.settleNow(retryIn(LONG_MS), run);

    strictEqual((await scene.read('a')).state, 'cancelled');
    equal(await scene.claimIds(), ['b']);
  },

  'holdWhileRetrying keeps the slot of a run that is rescheduled': async (scene) => {
    await submitBoth(scene, one);
    await scene.settleNow(retryIn(LONG_MS), await scene.claimOne());
    await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS * 2 }]);
    const later = await scene.claimIds();
    await rescheduleRuns(scene.broker, [{ id: 'a' }]);
    const now = await scene.claimOne();
    await scene.settleNow('complete', now);

    equal([later, now.id], [[], 'a']);
    equal(await scene.claimIds(), ['b']);
  },

  'holdWhileRetrying takes a slot anew at the first start after a redrive': async (scene) => {
    await submitBoth(scene, one);
    await scene.settleNow('fail', await scene.claimOne());
    await redriveRuns(scene.broker, ['a']);
    const b = await scene.claimOne();
    const full = await scene.claimIds();
    await scene.settleNow('complete', b);

    equal([b.id, full], ['b', []]);
    equal(await scene.claimIds(), ['a']);
  },

  'holdWhileRetrying has at most as many runs under way as the limit': async (scene) => {
    const two = { ...one, limit: 2 };
    await scene.submit(...['a', 'b', 'c', 'd'].map((id) => ({ id, concurrency: two })));
    const [a, b] = await scene.claim();
    await scene.settleNow(retryIn(LONG_MS), a);
    const full = await scene.claimIds();
    await scene.settleNow('complete', b);
    const next = await scene.claimIds();
    await rescheduleRuns(scene.broker, [{ id: 'a' }]);

    equal([full, next, await scene.claimIds()], [[], ['c'], ['a']]);
  },

  'holdWhileRetrying counts for runs of the key without it, which free their slots as ever': async (
    scene,
  ) => {
    await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency: one }, { id: 'c', concurrency });
    await scene.settleNow(retryIn(LONG_MS), await scene.claimOne());
    const b = await scene.claimOne();
    await scene.settleNow(retryIn(LONG_MS), b);
    await rescheduleRuns(scene.broker, [{ id: 'a' }]);
    const full = await scene.claimIds();
    await cancelRuns(scene.broker, ['b']);

    equal([b.id, full], ['b', []]);
    equal(await scene.claimIds(), ['c']);
  },

  'holdWhileRetrying with whenFull claim is never over its limit again': async (scene) => {
    const claimed = { ...one, whenFull: 'claim' } as const;
    await submitBoth(scene, claimed);
    const [a, b] = await scene.claim();
    await scene.settleNow('retry', a);
    await scene.settleNow('retry', b);

    const again = await scene.claim();

    equal([a?.isOverLimit, b?.isOverLimit], [false, true]);
    equal(
      again.map(({ run, isOverLimit }) => [run.id, isOverLimit]),
      [
        ['a', false],
        ['b', true],
      ],
    );
  },

  'holdWhileRetrying answers a repeated claim as the first one': async (scene) => {
    await submitBoth(scene, one);
    await scene.settleNow('retry', await scene.claimOne());
    const input = { requestId: 'again' };
    const first = await scene.claim(input);

    equal(await scene.claim(input), first);
    matches(first[0] ?? {}, { isOverLimit: false });
  },

  'holdWhileRetrying starts the run again before thousands that wait for its key': async (scene) => {
    const many = Array.from({ length: 3_000 }, (_, index) => ({ id: `r${index}`, concurrency: one }));
    await scene.submit(...many);
    for (let round = 0; round < 3; round++) {
      const run = await scene.claimOne();
      strictEqual(run.id, 'r0');
      await scene.settleNow('retry', run);
    }
    await scene.settleNow('complete', await scene.claimOne());

    equal(await scene.claimIds(), ['r1']);
  },
};

async function submitBoth(scene: CaseScene, concurrency: Concurrency): Promise<void> {
  await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency });
}
