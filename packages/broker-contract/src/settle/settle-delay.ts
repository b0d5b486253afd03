import { MAX_INSTANT_AT } from '@retry/core';
import { cancelRuns } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** When a run that was settled with `delayMs` is due, and instants at the limits. */
export const settleDelayCases: CasesByName = {
  'a settlement with delayMs is due that long after it is written, whatever runAt says': async (scene) => {
    const before = await scene.now();

    await retryAfter(scene, LONG_MS, before + 7 * LONG_MS);

    const { state, runAt } = await scene.read('a');
    strictEqual(state, 'scheduled');
    atLeast(runAt, before + LONG_MS);
    atMost(runAt, (await scene.now()) + LONG_MS);
  },

  'a settlement with delayMs is never early when its call took long': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settlement = settlementOf(run, { type: 'retry', at, runAt: at + SHORT_MS });
    await scene.advance(PASS_MS);
    const written = await scene.now();

    await scene.settle({ ...settlement, delayMs: SHORT_MS });

    atLeast((await scene.read('a')).runAt, written + SHORT_MS);
  },

  'a settlement with delayMs rounds fractions up': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settlement = settlementOf(run, { type: 'retry', at, runAt: at + 1 });

    await scene.settle({ ...settlement, delayMs: LONG_MS + 0.25 });

    const { runAt = Number.NaN } = await scene.read('a');
    strictEqual(Number.isInteger(runAt), true);
    atLeast(runAt, at + LONG_MS + 1);
  },

  'a settlement with delayMs lets a claim start the run once it is due': async (scene) => {
    await retryAfter(scene, AHEAD_MS, (await scene.now()) + LONG_MS);
    const early = await scene.claimIds();
    await scene.advance(AHEAD_MS);

    equal(early, []);
    equal(await scene.claimIds(), ['a']);
  },

  'a settlement without delayMs is due at its runAt': async (scene) => {
    const runAt = (await scene.now()) + 3 * LONG_MS;

    await retryAfter(scene, undefined, runAt);

    strictEqual((await scene.read('a')).runAt, runAt);
  },

  'a settlement with delayMs ignores it for a run that is not scheduled': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();

    await scene.settle({ ...settlementOf(run, { type: 'retry', at, runAt: at }), delayMs: LONG_MS });

    strictEqual((await scene.read('a')).state, 'submitted');
    equal(await scene.claimIds(), ['a']);
  },

  'a settlement with delayMs delays rate limited and recovered runs as well': async (scene) => {
    await scene.submit('a', 'b');
    const [first, second] = await scene.claim();
    if (!first || !second) throw new Error('two runs must be claimed');
    const at = await scene.now();
    const runAt = at + 1;
    const recover = settlementOf(second.run, [
      { type: 'stall', at },
      { type: 'recover', at, runAt },
    ]);
    const settle = [settlementOf(first.run, { type: 'limit', at, runAt }), recover];

    await scene.settle(...settle.map((settlement) => ({ ...settlement, delayMs: LONG_MS })));

    for (const { state, runAt: dueAt } of [await scene.read('a'), await scene.read('b')]) {
      strictEqual(state, 'scheduled');
      atLeast(dueAt, at + LONG_MS);
    }
  },

  'a submission with a runAt of %s is scheduled for the last instant': /* @__PURE__ */ each(
    () => [MAX_INSTANT_AT, 2 * MAX_INSTANT_AT, 1e300, Number.MAX_VALUE, Infinity],
    async (scene, runAt) => {
      await scene.submit({ id: 'a', runAt }, 'b');

      matches(await scene.read('a'), { state: 'scheduled', runAt: MAX_INSTANT_AT });
      equal(await scene.claimIds(), ['b']);
      equal(await cancelRuns(scene.broker, ['a']), ['cancelled']);
    },
  ),

  'a submission with a delayMs of %s is scheduled for the last instant': /* @__PURE__ */ each(
    () => [MAX_INSTANT_AT, 1e300, Number.MAX_VALUE, Infinity],
    async (scene, delayMs) => {
      await scene.submit({ id: 'a', delayMs }, 'b');

      matches(await scene.read('a'), { state: 'scheduled', runAt: MAX_INSTANT_AT });
      equal(await scene.claimIds(), ['b']);
    },
  ),

  'a settlement with a delayMs of %s is scheduled for the last instant': /* @__PURE__ */ each(
    () => [MAX_INSTANT_AT, 1e300, Number.MAX_VALUE, Infinity],
    async (scene, delayMs) => {
      await retryAfter(scene, delayMs, MAX_INSTANT_AT);

      matches(await scene.read('a'), { state: 'scheduled', runAt: MAX_INSTANT_AT });
    },
  ),

  'a settlement with a runAt of %s is scheduled for the last instant': /* @__PURE__ */ each(
    () => [MAX_INSTANT_AT, 1e300, Infinity],
    async (scene, runAt) => {
      await retryAfter(scene, undefined, runAt);

      matches(await scene.read('a'), { state: 'scheduled', runAt: MAX_INSTANT_AT });
    },
  ),

  'a submission with a runAt of %s is due now': /* @__PURE__ */ each(
    () => [0, -1, -1e300, Number.MIN_VALUE],
    async (scene, runAt) => {
      await scene.submit({ id: 'a', runAt });

      equal(await scene.claimIds(), ['a']);
    },
  ),

  'a submission with a delayMs of %s is due now': /* @__PURE__ */ each(
    () => [0, -1, -1e300],
    async (scene, delayMs) => {
      await scene.submit({ id: 'a', delayMs });

      equal(await scene.claimIds(), ['a']);
    },
  ),

  'a batch with a run for the last instant settles and claims the others': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const claimed = await scene.claim({ limit: 2 });
    const at = await scene.now();

    const settled = await scene.settle(
      ...claimed.map(({ run }) => ({
        ...settlementOf(run, { type: 'retry', at, runAt: at + 1 }),
        delayMs: run.id === 'a' ? 1e300 : LONG_MS,
      })),
    );

    equal(settled, ['ok', 'ok']);
    equal(await scene.claimIds(), ['c']);
  },
};

/** Settles run `a` by a retry with this `runAt` and `delayMs`. */
async function retryAfter(scene: CaseScene, delayMs: number | undefined, runAt: number): Promise<void> {
  const run = await scene.start('a');
  const at = await scene.now();
  const settlement = settlementOf(run, { type: 'retry', at, runAt });
  const settled = await scene.settle(delayMs === undefined ? settlement : { ...settlement, delayMs });
  equal(settled, ['ok']);
}
