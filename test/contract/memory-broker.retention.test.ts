import type { SubmitAnswer } from '@retry/core/broker';
import { cancelRuns, redriveRuns } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import type { Scene } from '../support/broker-scene.ts';
import { useScene } from '../support/broker-scene.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { settlementOf } from '../support/settle.ts';

function sceneKeeping(count?: number): Scene {
  return useScene(async () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock, keepCompleted: { count } });
    return { broker, advance: clock.advance, close: broker.close };
  });
}

async function end(
  scene: Scene,
  type: 'complete' | 'fail' | 'drop',
  ...ids: readonly string[]
): Promise<void> {
  await scene.submit(...ids);
  const claimed = await scene.claim();
  const at = await scene.now();
  await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type, at })));
}

describe('createMemoryBroker', () => {
  describe('with keepCompleted', () => {
    const scene = sceneKeeping(2);

    it('forgets the oldest of the completed, cancelled and dropped runs', async () => {
      await end(scene, 'complete', 'a', 'b');
      await end(scene, 'drop', 'c');
      await scene.submit('d');
      await cancelRuns(scene.broker, ['d']);

      const kept = await scene.broker.get(['a', 'b', 'c', 'd']);

      expect(kept.map((run) => run?.state)).toEqual([undefined, undefined, 'dropped', 'cancelled']);
      expect(await scene.broker.audit()).toMatchObject({ created: 4, forgotten: 2 });
    });

    it('keeps dead letters without limit', async () => {
      await end(scene, 'fail', 'a', 'b', 'c', 'd');

      expect((await scene.broker.list({ state: 'failed', limit: 10 })).runs).toHaveLength(4);
      expect(await scene.broker.audit()).toMatchObject({ forgotten: 0, ended: { failed: 4 } });
    });

    it('forgets a disposable dead letter like a completed run, and redrives it until then', async () => {
      await scene.submit('a', 'b', 'c', 'd');
      const claimed = await scene.claim();
      const at = await scene.now();
      const settlements = claimed.map(({ run }) => settlementOf(run, { type: 'fail', at }));
      await scene.settle(
        ...settlements.map((one) => ({ ...one, next: { ...one.next, isDisposable: true } })),
      );

      expect(await redriveRuns(scene.broker, ['a', 'c'])).toEqual(['gone', 'redriven']);
      expect((await scene.broker.list({ state: 'failed', limit: 10 })).runs).toMatchObject([{ id: 'd' }]);
      expect(await scene.broker.audit()).toMatchObject({ forgotten: 2, submitted: 1, ended: { failed: 1 } });
    });

    it('answers gone to a settlement that is repeated after its run was forgotten', async () => {
      const run = await scene.start('a');
      const settlement = settlementOf(run, { type: 'complete', at: await scene.now() });
      await scene.settle(settlement);
      await end(scene, 'complete', 'b', 'c');

      expect(await scene.settle(settlement)).toEqual(['gone']);
    });
  });

  describe('with keys that are kept for an hour', () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock, keepCompleted: { count: 0 }, keepKeys: '1h' });
    const submit = (id: string, more = {}): Promise<readonly SubmitAnswer[]> =>
      broker.submit([{ id, lane: 'l', payload: '{}', keyed: true, ...more }]);

    it('keeps each key for an hour after the end of its run, in whatever order the runs were forgotten', async () => {
      await submit('read late', { keepResultMs: 60_000 });
      await cancelRuns(broker, ['read late']);
      await clock.advance(1_000);
      await submit('forgotten first');
      await cancelRuns(broker, ['forgotten first']);
      await broker.get(['read late'], { collect: true });

      await clock.advance(3_599_000);

      expect(await submit('read late')).toEqual(['created']);
      expect(await submit('forgotten first')).toEqual(['exists']);
      await clock.advance(1_000);
      expect(await submit('forgotten first')).toEqual(['created']);
    });
  });

  describe('by default', () => {
    const scene = sceneKeeping();

    it('keeps the latest 1000', async () => {
      const ids = Array.from({ length: 1_001 }, (_, index) => `run-${index}`);
      await end(scene, 'complete', ...ids);

      expect(await scene.broker.get(['run-0', 'run-1'])).toMatchObject([undefined, { state: 'completed' }]);
      expect(await scene.broker.audit()).toMatchObject({ forgotten: 1, ended: { completed: 1_000 } });
    });
  });

  describe('with keepCompleted 0', () => {
    const scene = sceneKeeping(0);

    it('forgets a run as soon as it is completed', async () => {
      await end(scene, 'complete', 'a');

      expect(await scene.broker.get(['a'])).toEqual([undefined]);
    });
  });

  describe('with keepCompleted.bytes', () => {
    const aText = fc.tuple(fc.constantFrom('x', 'ä', '€', '😀'), fc.integer({ min: 0, max: 6_000 }));
    const aRun = fc.record({
      payload: aText,
      result: aText,
      event: fc.constantFrom('complete', 'fail', 'drop'),
    });

    it('keeps no more bytes of long texts than that after any settlement, and no long text less than that allows', async () => {
      const plays = fc.tuple(
        fc.integer({ min: 0, max: 60_000 }),
        fc.array(aRun, { minLength: 1, maxLength: 12 }),
      );
      await fc.assert(
        fc.asyncProperty(plays, async ([bytes, ends]) => {
          const broker = createMemoryBroker({
            clock: createFakeClock(),
            keepCompleted: { count: Infinity, bytes },
          });
          const jsonOf = ([letter, count]: readonly [string, number]) => JSON.stringify(letter.repeat(count));
          const longOf = (text: string | undefined) => {
            const size = Buffer.byteLength(text ?? '');
            return size > 4_096 ? size : 0;
          };
          const sizes: number[] = [];
          for (const [index, { payload, result, event }] of ends.entries()) {
            await broker.submit([{ id: `${index}`, lane: 'l', payload: jsonOf(payload) }]);
            const claim = {
              worker: 'w',
              requestId: `${index}`,
              limit: 1,
              lanes: new Map([['l', 1]]),
              leaseMs: 9,
            };
            const { claimed, now: at } = await broker.exchange({ claim });
            const more = event === 'complete' ? { result: jsonOf(result) } : {};
            const settle = claimed.map(({ run }) => settlementOf(run, { type: event, at }, more));
            await broker.exchange({ settle });
            sizes.push(event === 'fail' ? 0 : longOf(jsonOf(payload)) + longOf(more.result));

            const runs = await broker.get(sizes.map((_, id) => `${id}`));
            const kept = runs.map((run) =>
              run?.state === 'failed' ? 0 : longOf(run?.payload) + longOf(run?.result),
            );

            const sum = kept.reduce((left, right) => left + right, 0);
            expect(sum).toBeLessThanOrEqual(bytes);
            // What is gone is of the oldest, and of no more of them than necessary.
            const last = Math.max(-1, ...sizes.map((size, id) => (size > 0 && kept[id] === 0 ? id : -1)));
            if (last >= 0) expect(sum + (sizes[last] ?? 0)).toBeGreaterThan(bytes);
            expect(kept.slice(last + 1)).toEqual(sizes.slice(last + 1));
          }
          await broker.close();
        }),
        { numRuns: propertyRuns(1 / 4) },
      );
    });
  });

  describe('given a settlement that ends no claim', () => {
    const scene = sceneKeeping();

    it('rejects the batch before anything is written', async () => {
      const run = await scene.start('a');
      await scene.submit('b');
      const [other] = await scene.claim();
      const at = await scene.now();
      const good = settlementOf(run, { type: 'complete', at });
      const bad = settlementOf(other?.run ?? run, { type: 'heartbeat', at });

      await expect(scene.settle(good, bad)).rejects.toThrow('run b leads to started');
      expect((await scene.read('a')).state).toBe('started');
    });
  });
});
