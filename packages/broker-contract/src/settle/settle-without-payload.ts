import { redriveRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, PASS_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** A cleaner has runs without payloads, so lane, payload and concurrency are never taken from a settlement. */
export const settleWithoutPayloadCases: CasesByName = {
  'a settlement without the payload keeps payload, lane and concurrency by': /* @__PURE__ */ each(
    () =>
      [
        [['stall'], 'stalled'],
        [['stall', 'recover'], 'submitted'],
        [['stall', 'giveUp'], 'failed'],
      ] as const,
    async (scene, [types, state]) => {
      await scene.start({ id: 'a', payload: '"kept"', concurrency }, { leaseMs: 1 });
      await scene.advance(PASS_MS);

      await settleFound(scene, ...types);

      matches(await scene.read('a'), { state, lane: 'l', payload: '"kept"', concurrency });
    },
  ),

  'a settlement without the payload leaves it to the next claim': async (scene) => {
    await scene.start({ id: 'a', payload: '"kept"' }, { leaseMs: 1 });
    await scene.advance(PASS_MS);
    await settleFound(scene, 'stall', 'recover');

    const [again] = await scene.claim();

    matches(again?.run, { id: 'a', epoch: 2, payload: '"kept"' });
  },

  'a settlement without the payload leaves it to a redrive': async (scene) => {
    await scene.start({ id: 'a', payload: '"kept"' }, { leaseMs: 1 });
    await scene.advance(PASS_MS);
    await settleFound(scene, 'stall');

    await redriveRuns(scene.broker, ['a']);

    matches((await scene.claim())[0]?.run, { id: 'a', payload: '"kept"' });
  },

  'a settlement with another lane and without concurrency frees the slot of the run once': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency });
    await scene.submit({ id: 'b', concurrency }, { id: 'c', concurrency });
    const { concurrency: _, ...changed } = settlementOf(run, {
      type: 'complete',
      at: await scene.now(),
    }).next;
    const next = { ...changed, payload: '', lane: 'elsewhere' };

    const settled = await scene.settle({ id: 'a', epoch: 1, event: 'complete', next });

    equal(settled, ['ok']);
    matches(await scene.read('a'), { lane: 'l', payload: '{}', concurrency });
    equal(await scene.claimIds(), ['b']);
  },
};

async function settleFound(
  scene: CaseScene,
  ...types: readonly ('stall' | 'recover' | 'giveUp')[]
): Promise<void> {
  const at = await scene.now();
  const found = await scene.broker.findExpired(10);
  const events = types.map((type) => (type === 'recover' ? { type, at, runAt: at } : { type, at }));
  const settled = await scene.settle(
    ...found.map((run) => settlementOf(run, events, { onlyIfExpired: true })),
  );
  equal(
    settled,
    found.map(() => 'ok'),
  );
}
