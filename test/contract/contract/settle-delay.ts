import { MAX_INSTANT_AT } from '@retry/core';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** When a run is due that was settled with a delay, by the clock of the broker. */
export function describeSettleDelay(scene: Scene): void {
  /** Settles run `a` by a retry whose own instant is far off, with this delay. */
  const retryAfter = async (delayMs: number | undefined, runAt: number): Promise<void> => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settlement = settlementOf(run, { type: 'retry', at, runAt });
    const settled = await scene.settle(delayMs === undefined ? settlement : { ...settlement, delayMs });
    expect(settled).toEqual(['ok']);
  };

  describe('a settlement with a delay', () => {
    it('is due that long after it was written, whatever instant it names', async () => {
      const before = await scene.now();

      await retryAfter(LONG_MS, before + 7 * LONG_MS);

      const { state, runAt } = await scene.read('a');
      expect(state).toBe('scheduled');
      expect(runAt).toBeGreaterThanOrEqual(before + LONG_MS);
      expect(runAt).toBeLessThanOrEqual((await scene.now()) + LONG_MS);
    });

    it('is never early when the decision took long on its way', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const settlement = settlementOf(run, { type: 'retry', at, runAt: at + SHORT_MS });
      await scene.advance(PASS_MS);
      const written = await scene.now();

      await scene.settle({ ...settlement, delayMs: SHORT_MS });

      expect((await scene.read('a')).runAt).toBeGreaterThanOrEqual(written + SHORT_MS);
    });

    it('rounds fractions up', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const settlement = settlementOf(run, { type: 'retry', at, runAt: at + 1 });

      await scene.settle({ ...settlement, delayMs: LONG_MS + 0.25 });

      const { runAt = Number.NaN } = await scene.read('a');
      expect(Number.isInteger(runAt)).toBe(true);
      expect(runAt).toBeGreaterThanOrEqual(at + LONG_MS + 1);
    });

    it('is handed out once it is due', async () => {
      await retryAfter(SHORT_MS, (await scene.now()) + LONG_MS);
      const early = await scene.claimIds();
      await scene.advance(PASS_MS);

      expect(early).toEqual([]);
      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('is due at the very instant that it names when it has no delay', async () => {
      const runAt = (await scene.now()) + 3 * LONG_MS;

      await retryAfter(undefined, runAt);

      expect((await scene.read('a')).runAt).toBe(runAt);
    });

    it('says nothing of a run that is not scheduled', async () => {
      const run = await scene.start('a');
      const at = await scene.now();

      await scene.settle({ ...settlementOf(run, { type: 'retry', at, runAt: at }), delayMs: LONG_MS });

      expect((await scene.read('a')).state).toBe('submitted');
      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('delays a rate limited and a recovered run as well', async () => {
      await scene.submit('a', 'b');
      const [first, second] = await scene.claim();
      if (!first || !second) throw new Error('two runs were to be claimed');
      const at = await scene.now();
      const runAt = at + 1;
      const recover = settlementOf(second.run, [
        { type: 'stall', at },
        { type: 'recover', at, runAt },
      ]);
      const settle = [settlementOf(first.run, { type: 'limit', at, runAt }), recover];

      await scene.settle(...settle.map((settlement) => ({ ...settlement, delayMs: LONG_MS })));

      for (const { state, runAt: dueAt } of [await scene.read('a'), await scene.read('b')]) {
        expect(state).toBe('scheduled');
        expect(dueAt).toBeGreaterThanOrEqual(at + LONG_MS);
      }
    });
  });

  describe('instants at the limits', () => {
    it.each([MAX_INSTANT_AT, 2 * MAX_INSTANT_AT, 1e300, Number.MAX_VALUE, Infinity])(
      'keeps a run that is submitted for %d as scheduled for the last instant',
      async (runAt) => {
        await scene.submit({ id: 'a', runAt }, 'b');

        expect(await scene.read('a')).toMatchObject({ state: 'scheduled', runAt: MAX_INSTANT_AT });
        expect(await scene.claimIds()).toEqual(['b']);
        expect(await scene.broker.cancel(['a'])).toEqual(['cancelled']);
      },
    );

    it.each([MAX_INSTANT_AT, 1e300, Number.MAX_VALUE, Infinity])(
      'keeps a run that is submitted with a delay of %d as scheduled for the last instant',
      async (delayMs) => {
        await scene.submit({ id: 'a', delayMs }, 'b');

        expect(await scene.read('a')).toMatchObject({ state: 'scheduled', runAt: MAX_INSTANT_AT });
        expect(await scene.claimIds()).toEqual(['b']);
      },
    );

    it.each([MAX_INSTANT_AT, 1e300, Number.MAX_VALUE, Infinity])(
      'keeps a run that is settled with a delay of %d as scheduled for the last instant',
      async (delayMs) => {
        await retryAfter(delayMs, MAX_INSTANT_AT);

        expect(await scene.read('a')).toMatchObject({ state: 'scheduled', runAt: MAX_INSTANT_AT });
      },
    );

    it.each([MAX_INSTANT_AT, 1e300, Infinity])(
      'keeps a run that is settled for %d as scheduled for the last instant',
      async (runAt) => {
        await retryAfter(undefined, runAt);

        expect(await scene.read('a')).toMatchObject({ state: 'scheduled', runAt: MAX_INSTANT_AT });
      },
    );

    it.each([0, -1, -1e300, Number.MIN_VALUE])('takes an instant of %d for now', async (runAt) => {
      await scene.submit({ id: 'a', runAt });

      expect(await scene.claimIds()).toEqual(['a']);
    });

    it.each([0, -1, -1e300])('takes a delay of %d for none', async (delayMs) => {
      await scene.submit({ id: 'a', delayMs });

      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('settles and claims others beside a run of the last instant', async () => {
      await scene.submit('a', 'b', 'c');
      const claimed = await scene.claim({ limit: 2 });
      const at = await scene.now();

      const settled = await scene.settle(
        ...claimed.map(({ run }) => ({
          ...settlementOf(run, { type: 'retry', at, runAt: at + 1 }),
          delayMs: run.id === 'a' ? 1e300 : LONG_MS,
        })),
      );

      expect(settled).toEqual(['ok', 'ok']);
      expect(await scene.claimIds()).toEqual(['c']);
    });
  });
}
