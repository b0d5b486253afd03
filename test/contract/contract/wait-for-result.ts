import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { countListeners } from '../../support/count-listeners.ts';
import { settlementOf } from '../../support/settle.ts';

/** When a caller who waits for a result is woken. */
export function describeWaitForResult(scene: Scene): void {
  const wait = (signal?: AbortSignal): Promise<void> =>
    scene.broker.waitForResult({ timeoutMs: LONG_MS, signal });

  const startKept = (id: string) => scene.start({ id, keepResultMs: LONG_MS });

  describe('waitForResult', () => {
    it.each(['complete', 'fail', 'cancel', 'stall', 'drop', 'limit'] as const)(
      'ends when a run whose result is kept is settled by %s',
      async (type) => {
        const run = await startKept('a');
        const waiting = wait();

        await scene.settle(settlementOf(run, { type, at: await scene.now() }));

        await expect(waiting).resolves.toBeUndefined();
      },
    );

    it('ends when a waiting run whose result is kept is cancelled', async () => {
      await scene.submit({ id: 'a', keepResultMs: LONG_MS });
      const waiting = wait();

      await scene.broker.cancel(['a']);

      await expect(waiting).resolves.toBeUndefined();
    });

    it('ends for all who wait, by one settlement among others', async () => {
      const kept = await startKept('a');
      const other = await scene.start('b');
      const waiting = [wait(), wait(), wait()];
      const at = await scene.now();

      await scene.settle(
        settlementOf(other, { type: 'complete', at }),
        settlementOf(kept, { type: 'complete', at }),
      );

      await expect(Promise.all(waiting)).resolves.toHaveLength(3);
    });

    it('ends for a run that failed, was redriven and is now completed', async () => {
      const run = await startKept('a');
      await scene.settle(settlementOf(run, { type: 'fail', at: await scene.now() }));
      await scene.broker.redrive(['a']);
      const [again] = await scene.claim();
      if (again === undefined) throw new Error('it was to be claimed');
      const waiting = wait();

      await scene.settle(settlementOf(again.run, { type: 'complete', at: await scene.now() }));

      await expect(waiting).resolves.toBeUndefined();
    });

    it('is woken by nothing else', async () => {
      const kept = await startKept('kept');
      const other = await scene.start('other');
      await settleDown(scene);
      let hasEnded = false;
      const stop = new AbortController();
      const waiting = wait(stop.signal).then(() => {
        hasEnded = true;
      });

      const at = await scene.now();
      await scene.submit('a', { id: 'b', keepResultMs: LONG_MS });
      await scene.settle(
        settlementOf(other, { type: 'complete', at }),
        settlementOf(kept, { type: 'retry', at, runAt: at }),
      );
      await scene.broker.cancel(['a']);
      await scene.advance(PASS_MS);
      const hadEnded = hasEnded;
      stop.abort();

      await waiting;
      expect(hadEnded).toBe(false);
    });

    it('ends after its timeout, and immediately by one of 0', async () => {
      const waiting = scene.broker.waitForResult({ timeoutMs: SHORT_MS });
      await scene.broker.waitForResult({ timeoutMs: 0 });

      await scene.advance(PASS_MS);

      await expect(waiting).resolves.toBeUndefined();
    });

    it('ends when its signal aborts, or has aborted', async () => {
      const stop = new AbortController();
      const waiting = wait(stop.signal);

      stop.abort();

      await waiting;
      await expect(wait(stop.signal)).resolves.toBeUndefined();
    });

    it.each(['result', 'timeout', 'abort'] as const)('leaves no listener behind after %s', async (end) => {
      const run = await startKept('a');
      const signal = countListeners();
      const waiting = scene.broker.waitForResult({ timeoutMs: SHORT_MS, signal });

      if (end === 'result')
        await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));
      if (end === 'timeout') await scene.advance(PASS_MS);
      if (end === 'abort') signal.abort();
      await waiting;

      expect(signal.listeners.size).toBe(0);
    });
  });
}

/** A broker may end a first wait early, while it opens its subscription; later ones have no such excuse. */
async function settleDown(scene: Scene): Promise<void> {
  for (let step = 0; step < 3; step += 1) {
    const waiting = scene.broker.waitForResult({ timeoutMs: SHORT_MS });
    await scene.advance(PASS_MS);
    await waiting;
  }
}
