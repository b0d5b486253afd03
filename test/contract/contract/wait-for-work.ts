import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { countListeners } from '../../support/count-listeners.ts';
import { settlementOf } from '../../support/settle.ts';

/** When a wait for work ends. A wait that does not end lets its test run out of time. */
export function describeWaitForWork(scene: Scene): void {
  const wait = (lanes: readonly string[] = ['l'], signal?: AbortSignal): Promise<void> =>
    scene.broker.waitForWork(lanes, { timeoutMs: LONG_MS, signal });

  describe('waitForWork', () => {
    it('ends at once when a run waits, or is due', async () => {
      await scene.submit('a', { id: 'b', lane: 'm', delayMs: SHORT_MS });
      await wait();

      await scene.advance(PASS_MS);

      await expect(wait(['other', 'm'])).resolves.toBeUndefined();
    });

    it('ends when a run is submitted to one of the lanes', async () => {
      const waiting = wait(['other', 'l']);

      await scene.submit('a');

      await expect(waiting).resolves.toBeUndefined();
    });

    it('ends for all who wait', async () => {
      const waiting = [wait(), wait(['l', 'm']), wait()];

      await scene.submit('a', { id: 'b' }, { id: 'c' });

      await expect(Promise.all(waiting)).resolves.toHaveLength(3);
    });

    it('ends when a scheduled run is due', async () => {
      await scene.submit({ id: 'a', delayMs: SHORT_MS });
      const waiting = wait();

      await scene.advance(PASS_MS);

      await waiting;
      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('ends when a run is due that was scheduled meanwhile, earlier than all others', async () => {
      await scene.submit({ id: 'late', delayMs: LONG_MS / 2 });
      const waiting = wait();
      await scene.submit({ id: 'a', delayMs: SHORT_MS });

      await scene.advance(PASS_MS);

      await waiting;
      expect(await scene.claimIds()).toEqual(['a']);
    });

    it.each(['release', 'retry', 'redrive'] as const)('ends when a run comes back by %s', async (how) => {
      const run = await scene.start('a');
      const waiting = wait();
      const at = await scene.now();

      if (how === 'release') await scene.settle(settlementOf(run, { type: 'release', at }));
      if (how === 'retry') await scene.settle(settlementOf(run, { type: 'retry', at, runAt: at }));
      if (how === 'redrive') {
        await scene.settle(settlementOf(run, { type: 'fail', at }));
        await scene.broker.redrive(['a']);
      }

      await expect(waiting).resolves.toBeUndefined();
    });

    it('ends when a concurrency key is free for a run that waits for it', async () => {
      const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
      const run = await scene.start({ id: 'a', concurrency });
      await scene.submit({ id: 'b', concurrency });
      await scene.claim();
      const waiting = wait();

      await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));

      await waiting;
      expect(await scene.claimIds()).toEqual(['b']);
    });

    it('ends after its timeout', async () => {
      const waiting = scene.broker.waitForWork(['l'], { timeoutMs: SHORT_MS });

      await scene.advance(PASS_MS);

      await expect(waiting).resolves.toBeUndefined();
    });

    it('ends at once by a timeout of 0', async () => {
      await expect(scene.broker.waitForWork(['l'], { timeoutMs: 0 })).resolves.toBeUndefined();
    });

    it('goes on while nothing happens to its lanes', async () => {
      let hasEnded = false;
      const stop = new AbortController();
      const waiting = wait(['l'], stop.signal).then(() => {
        hasEnded = true;
      });

      await scene.submit({ id: 'a', lane: 'm' }, { id: 'b', delayMs: LONG_MS });
      await scene.advance(PASS_MS);
      const hadEnded = hasEnded;
      stop.abort();

      await waiting;
      expect(hadEnded).toBe(false);
    });

    it('ends when its signal aborts, or has aborted', async () => {
      const stop = new AbortController();
      const waiting = wait(['l'], stop.signal);

      stop.abort();

      await waiting;
      await expect(wait(['l'], stop.signal)).resolves.toBeUndefined();
    });

    it.each(['work', 'timeout', 'abort'] as const)('leaves no listener behind after %s', async (end) => {
      const signal = countListeners();
      const waiting = scene.broker.waitForWork(['l'], { timeoutMs: SHORT_MS, signal });

      if (end === 'work') await scene.submit('a');
      if (end === 'timeout') await scene.advance(PASS_MS);
      if (end === 'abort') signal.abort();
      await waiting;

      expect(signal.listeners.size).toBe(0);
    });
  });
}
