import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** Far enough ahead that a slow machine submits before it: a runAt that has passed is now, and of no order. */
const AHEAD_MS = 150;

/** What happens to runs that are not to start yet. */
export function describeSchedule(scene: Scene): void {
  describe('schedule', () => {
    it('never starts a run before its runAt, by the clock of the broker', async () => {
      const runAt = (await scene.now()) + SHORT_MS;
      await scene.submit({ id: 'a', runAt });
      let claimed = await scene.claim();

      for (let step = 0; claimed.length === 0 && step < 2 * SHORT_MS; step++) {
        await scene.advance(1);
        claimed = await scene.claim();
      }

      expect(claimed.map(({ run }) => run.id)).toEqual(['a']);
      expect(claimed[0]?.run.firstStartedAt).toBeGreaterThanOrEqual(runAt);
    });

    it('starts a run that is due', async () => {
      await scene.submit({ id: 'a', runAt: (await scene.now()) + SHORT_MS });
      await scene.advance(PASS_MS);

      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('keeps a run with a later runAt as scheduled, with that instant', async () => {
      const runAt = (await scene.now()) + LONG_MS;

      await scene.submit({ id: 'a', runAt });

      expect(await scene.read('a')).toMatchObject({ state: 'scheduled', runAt });
      expect(await scene.claimIds()).toEqual([]);
      expect(await scene.broker.audit()).toMatchObject({ submitted: 0, scheduled: 1, started: 0 });
    });

    it('takes a runAt that has passed for now', async () => {
      await scene.submit({ id: 'a', runAt: (await scene.now()) - LONG_MS }, { id: 'b', runAt: 0 });

      expect((await scene.read('a')).state).toBe('submitted');
      expect(await scene.claimIds()).toEqual(['a', 'b']);
    });

    it('counts delayMs from its own now', async () => {
      const before = await scene.now();
      await scene.submit({ id: 'a', delayMs: LONG_MS });
      const after = await scene.now();

      const { runAt, state } = await scene.read('a');

      expect(state).toBe('scheduled');
      expect(runAt).toBeGreaterThanOrEqual(before + LONG_MS);
      expect(runAt).toBeLessThanOrEqual(after + LONG_MS);
    });

    it('takes the later of runAt and delayMs', async () => {
      const now = await scene.now();
      await scene.submit(
        { id: 'a', runAt: now + LONG_MS, delayMs: 1 },
        { id: 'b', runAt: now + 1, delayMs: LONG_MS },
      );
      await scene.advance(PASS_MS);

      expect(await scene.claimIds()).toEqual([]);
      expect((await scene.read('a')).runAt).toBe(now + LONG_MS);
      expect((await scene.read('b')).runAt).toBeGreaterThanOrEqual(now + LONG_MS);
    });

    it('takes a delayMs of 0 for now', async () => {
      await scene.submit({ id: 'a', delayMs: 0 });

      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('promotes in the order of runAt, and behind what waits already', async () => {
      const now = await scene.now();
      await scene.submit(
        { id: 'third', runAt: now + AHEAD_MS + 2 },
        { id: 'second', runAt: now + AHEAD_MS + 1 },
      );
      await scene.submit({ id: 'first', runAt: now + AHEAD_MS }, 'waiting');
      await scene.advance(AHEAD_MS + PASS_MS);

      expect(await scene.claimIds()).toEqual(['waiting', 'first', 'second', 'third']);
    });

    it('promotes runs of one runAt in the order of their submission', async () => {
      const runAt = (await scene.now()) + 10;
      const ids = ['e', 'a', 'd', 'b', 'c'];
      await scene.submit(...ids.map((id) => ({ id, runAt })));
      await scene.advance(PASS_MS);

      expect(await scene.claimIds()).toEqual(ids);
    });

    it('promotes in the order of runAt whatever was cancelled meanwhile', async () => {
      const now = await scene.now();
      const runs = Array.from({ length: 300 }, (_, index) => {
        return { id: `run-${index}`, runAt: now + AHEAD_MS + ((index * 7_919) % 23) };
      });
      await scene.submit(...runs);
      await scene.broker.cancel(runs.filter((_, index) => index % 3 === 1).map(({ id }) => id));
      await scene.advance(AHEAD_MS + PASS_MS);

      const kept = runs.filter((_, index) => index % 3 !== 1);
      const sorted = kept.sort((left, right) => left.runAt - right.runAt);
      expect(await scene.claimIds()).toEqual(sorted.map(({ id }) => id));
    });

    it('tells when the next run of the claimed lanes is due', async () => {
      const now = await scene.now();
      await scene.submit(
        { id: 'a', runAt: now + 2 * LONG_MS },
        { id: 'b', lane: 'm', runAt: now + LONG_MS },
        { id: 'c', lane: 'other', runAt: now + LONG_MS / 2 },
      );

      const ask = async (lanes: readonly string[]): Promise<number | undefined> => {
        const map = new Map(lanes.map((lane) => [lane, 1] as const));
        const claim = { worker: 'w', requestId: lanes.join(), limit: 1, lanes: map, leaseMs: LONG_MS };
        return (await scene.broker.settleAndClaim({ claim })).nextRunAt;
      };

      expect(await ask(['l'])).toBe(now + 2 * LONG_MS);
      expect(await ask(['l', 'm'])).toBe(now + LONG_MS);
      expect(await ask(['empty'])).toBeUndefined();
    });

    it('holds a retry back until it is due', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      await scene.settle(settlementOf(run, { type: 'retry', at, runAt: at + SHORT_MS }));
      const early = await scene.read('a');

      await scene.advance(PASS_MS);
      const [claimed] = await scene.claim();

      expect(early).toMatchObject({ state: 'scheduled', failures: 1, runAt: at + SHORT_MS });
      expect(claimed?.run).toMatchObject({ id: 'a', epoch: 2, failures: 1 });
      expect(claimed?.run.startedAt).toBeGreaterThanOrEqual(at + SHORT_MS);
    });
  });
}
