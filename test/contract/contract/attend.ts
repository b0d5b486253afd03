import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';

/** Which lanes have runs that no worker works on. */
export function describeAttend(scene: Scene): void {
  const unattended = async (): Promise<Record<string, number>> =>
    Object.fromEntries((await scene.broker.attend()).map(({ lane, waiting }) => [lane, waiting]));

  const attend = (worker: string, lanes: readonly string[], ttlMs = LONG_MS): Promise<unknown> =>
    scene.broker.attend({ worker, lanes, ttlMs });

  describe('attend', () => {
    it('gives the lanes that have waiting runs and no worker, and how many wait', async () => {
      await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'x' }, { id: 'c', lane: 'y' });

      expect(await unattended()).toEqual({ x: 2, y: 1 });
    });

    it('gives nothing when nothing waits', async () => {
      await scene.start({ id: 'a', lane: 'x' });
      await scene.submit({ id: 'b', lane: 'y' }, { id: 'c', lane: 'z', delayMs: LONG_MS });
      await scene.broker.cancel(['b']);

      expect(await unattended()).toEqual({});
    });

    it('counts runs that are due, although no worker promotes them', async () => {
      const delays = [SHORT_MS, 1, LONG_MS, 2, SHORT_MS, LONG_MS];
      await scene.submit(...delays.map((delayMs, index) => ({ id: `run-${index}`, lane: 'x', delayMs })));
      await scene.advance(PASS_MS);

      expect(await unattended()).toEqual({ x: 4 });
    });

    it('leaves out the lanes of a worker that is alive, and answers it the same', async () => {
      await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'z' });

      const answer = await scene.broker.attend({ worker: 'w', lanes: ['x', 'z', 'empty'], ttlMs: LONG_MS });

      expect(answer).toEqual([{ lane: 'y', waiting: 1 }]);
      expect(await unattended()).toEqual({ y: 1 });
    });

    it('counts a worker no longer as alive once its time is over', async () => {
      await scene.submit({ id: 'a', lane: 'x' });
      await attend('w', ['x'], SHORT_MS);
      await scene.advance(PASS_MS);

      expect(await unattended()).toEqual({ x: 1 });
    });

    it('counts a worker as alive that attends again in time', async () => {
      await scene.submit({ id: 'a', lane: 'x' });
      await attend('w', ['x'], SHORT_MS);
      await attend('w', ['x'], LONG_MS);
      await scene.advance(PASS_MS);

      expect(await unattended()).toEqual({});
    });

    it('takes a worker back by a time of 0, and only this one', async () => {
      await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' });
      await attend('one', ['x', 'y']);
      await attend('other', ['y']);

      await attend('one', ['x', 'y'], 0);

      expect(await unattended()).toEqual({ x: 1 });
    });

    it('notes the lanes of a worker anew each time', async () => {
      await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' });
      await attend('w', ['x']);

      await attend('w', ['y']);

      expect(await unattended()).toEqual({ x: 1 });
    });

    it('counts up to 10 000', async () => {
      const ids = Array.from({ length: 10_001 }, (_, index) => `run-${index}`);
      await scene.submit(...ids.map((id) => ({ id, lane: 'x' })));

      expect(await unattended()).toEqual({ x: 10_000 });
    });
  });
}
