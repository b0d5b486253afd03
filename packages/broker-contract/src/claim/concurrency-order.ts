import type { Concurrency, Run, Settlement } from '@retry/core/broker';
import { cancelRuns, endRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import type { RunEvent } from '@retry/core/lifecycle';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

const one: Concurrency = { key: 'k', limit: 1, whenFull: 'wait', holdWhileRetrying: true };
const usual: Concurrency = { key: 'k', limit: 1, whenFull: 'wait' };

/** Ways back into the lane, by the events of the settlement. */
const WAYS_BACK: readonly (readonly [name: string, events: (at: number) => readonly RunEvent[]])[] = [
  ['retry', (at) => [{ type: 'retry', at, runAt: at }]],
  ['a retry for later', (at) => [{ type: 'retry', at, runAt: at + SHORT_MS }]],
  ['release', (at) => [{ type: 'release', at }]],
  ['a release for later', (at) => [{ type: 'release', at, runAt: at + SHORT_MS }]],
  [
    'stall and recover',
    (at) => [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at + SHORT_MS },
    ],
  ],
  ['limit for later', (at) => [{ type: 'limit', at, runAt: at + SHORT_MS }]],
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
      await settleBack(scene, await claimOne(scene), events);
      const early = await scene.claimIds({ limit: 0 });
      await scene.advance(PASS_MS);

      const again = await claimOne(scene);
      const none = await scene.claimIds();
      await complete(scene, again);

      equal([early, again.id, again.epoch, none], [[], 'a', 2, []]);
      equal(await scene.claimIds(), ['b']);
    },
  ),

  'holdWhileRetrying keeps the order over many attempts, releases and stalls': async (scene) => {
    await submitBoth(scene, one);
    for (const [, events] of [...WAYS_BACK, ...WAYS_BACK]) {
      const run = await claimOne(scene);
      strictEqual(run.id, 'a');
      equal(await scene.claimIds({ lanes: ['l', 'm'] }), []);
      await settleBack(scene, run, events);
      await scene.advance(PASS_MS);
    }
    await complete(scene, await claimOne(scene));

    equal(await scene.claimIds(), ['b']);
  },

  'holdWhileRetrying counts a run that waits for its retry, in whatever lane the others are': async (
    scene,
  ) => {
    await scene.submit({ id: 'a', concurrency: one }, { id: 'b', lane: 'm', concurrency: one });
    await retry(scene, await claimOne(scene), LONG_MS);

    equal(await scene.claimIds({ lanes: ['m', 'l'] }), []);
  },

  'holdWhileRetrying frees the slot once when the waiting run ends by': /* @__PURE__ */ each(
    () => WAYS_TO_END,
    async (scene, [_name, end]) => {
      await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: one })));
      await retry(scene, await claimOne(scene), LONG_MS);
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
      const run = await claimOne(scene);
      const full = await scene.claimIds();
      await settleBack(scene, run, events);
      await cancelRuns(scene.broker, ['a']);

      equal([full, await scene.claimIds()], [[], ['b']]);
    },
  ),

  'holdWhileRetrying frees the slot when a cancel request ends the run instead of its retry': async (
    scene,
  ) => {
    await submitBoth(scene, one);
    const run = await claimOne(scene);
    await cancelRuns(scene.broker, ['a']);
    await retry(scene, run, LONG_MS);

    strictEqual((await scene.read('a')).state, 'cancelled');
    equal(await scene.claimIds(), ['b']);
  },

  'holdWhileRetrying keeps the slot of a run that is rescheduled': async (scene) => {
    await submitBoth(scene, one);
    await retry(scene, await claimOne(scene), LONG_MS);
    await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS * 2 }]);
    const later = await scene.claimIds();
    await rescheduleRuns(scene.broker, [{ id: 'a' }]);
    const now = await claimOne(scene);
    await complete(scene, now);

    equal([later, now.id], [[], 'a']);
    equal(await scene.claimIds(), ['b']);
  },

  'holdWhileRetrying takes a slot anew at the first start after a redrive': async (scene) => {
    await submitBoth(scene, one);
    await fail(scene, await claimOne(scene));
    await redriveRuns(scene.broker, ['a']);
    const b = await claimOne(scene);
    const full = await scene.claimIds();
    await complete(scene, b);

    equal([b.id, full], ['b', []]);
    equal(await scene.claimIds(), ['a']);
  },

  'holdWhileRetrying has at most as many runs under way as the limit': async (scene) => {
    const two = { ...one, limit: 2 };
    await scene.submit(...['a', 'b', 'c', 'd'].map((id) => ({ id, concurrency: two })));
    const [a, b] = await scene.claim();
    await retry(scene, a?.run, LONG_MS);
    const full = await scene.claimIds();
    await complete(scene, b?.run);
    const next = await scene.claimIds();
    await rescheduleRuns(scene.broker, [{ id: 'a' }]);

    equal([full, next, await scene.claimIds()], [[], ['c'], ['a']]);
  },

  'holdWhileRetrying counts for runs of the key without it, which free their slots as ever': async (
    scene,
  ) => {
    await scene.submit(
      { id: 'a', concurrency: usual },
      { id: 'b', concurrency: one },
      { id: 'c', concurrency: usual },
    );
    await retry(scene, await claimOne(scene), LONG_MS);
    const b = await claimOne(scene);
    await retry(scene, b, LONG_MS);
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
    await retry(scene, a?.run, 0);
    await retry(scene, b?.run, 0);

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
    await retry(scene, await claimOne(scene), 0);
    const input = { requestId: 'again' };
    const first = await scene.claim(input);

    equal(await scene.claim(input), first);
    matches(first[0] ?? {}, { isOverLimit: false });
  },

  'holdWhileRetrying starts the run again before thousands that wait for its key': async (scene) => {
    const many = Array.from({ length: 3_000 }, (_, index) => ({ id: `r${index}`, concurrency: one }));
    await scene.submit(...many);
    for (let round = 0; round < 3; round++) {
      const run = await claimOne(scene);
      strictEqual(run.id, 'r0');
      await retry(scene, run, 0);
    }
    await complete(scene, await claimOne(scene));

    equal(await scene.claimIds(), ['r1']);
  },
};

async function submitBoth(scene: CaseScene, concurrency: Concurrency): Promise<void> {
  await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency });
}

async function claimOne(scene: CaseScene): Promise<Run> {
  const claimed = await scene.claim();
  const [first] = claimed;
  if (first === undefined || claimed.length > 1)
    throw new Error(`claimed ${claimed.length} runs instead of one`);
  return first.run;
}

async function settle(scene: CaseScene, settlement: Settlement): Promise<void> {
  equal(await scene.settle(settlement), ['ok']);
}

async function settleBack(
  scene: CaseScene,
  run: Run,
  events: (at: number) => readonly RunEvent[],
): Promise<void> {
  await settle(scene, settlementOf(run, events(await scene.now())));
}

async function retry(scene: CaseScene, run: Run | undefined, delayMs: number): Promise<void> {
  if (run === undefined) throw new Error('the run was not claimed');
  await settleBack(scene, run, (at) => [{ type: 'retry', at, runAt: at + delayMs }]);
}

async function complete(scene: CaseScene, run: Run | undefined): Promise<void> {
  if (run === undefined) throw new Error('the run was not claimed');
  await settle(scene, settlementOf(run, { type: 'complete', at: await scene.now() }));
}

async function fail(scene: CaseScene, run: Run): Promise<void> {
  await settle(scene, settlementOf(run, { type: 'fail', at: await scene.now() }));
}
