import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';

/** Callers that wait for the results of what they submit. */
export function describeWaiting(scene: WorkerScene): void {
  const double = defineTask({ name: 'double', run: (number: number) => number * 2 });
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

  describe('waiting for results', () => {
    it('returns each of 3 000 results, three times as many as are kept', async () => {
      const { queue } = scene;
      await scene.startWorker({ tasks: [double], concurrency: 50 });

      const results = await Promise.all(numbers(3_000).map((number) => queue.submitAndWait(double, number)));

      expect(results).toEqual(numbers(3_000).map((number) => number * 2));
    });

    it('works for several queues at the same time', async () => {
      const queues = [await scene.openQueue(), await scene.openQueue()];
      await scene.startWorker({ tasks: [double], concurrency: 50 });

      const results = await Promise.all(
        queues.flatMap((queue) => numbers(600).map((number) => queue.submitAndWait(double, number))),
      );

      expect(results).toEqual([...numbers(600), ...numbers(600)].map((number) => number * 2));
    });

    it('returns the result of a run that ends long after its submission', async () => {
      const slow = defineTask({ name: 'slow', run: () => scene.rest(1_500).then(() => 'done') });
      await scene.startWorker({ tasks: [slow] });

      expect(await scene.queue.submitAndWait(slow, undefined)).toBe('done');
    });

    it('rejects with the error of a failed run', async () => {
      const doomed = defineTask({
        name: 'doomed',
        retry: { maxAttempts: 1 },
        run: () => Promise.reject(new RangeError('too far')),
      });
      await scene.startWorker({ tasks: [doomed] });

      await expect(scene.queue.submitAndWait(doomed, undefined)).rejects.toMatchObject({
        state: 'failed',
        errorName: 'RangeError',
        errorMessage: 'too far',
      });
    });

    it('finds a run that was submitted with keepResult after many others have ended', async () => {
      const { queue } = scene;
      const worker = await scene.startWorker({ tasks: [double], concurrency: 50 });
      const kept = await queue.submit(double, 21, { keepResult: '1m' });
      await queue.submitMany(double, numbers(2_500));
      await worker.whenIdle();

      expect(await queue.waitForResult(kept)).toBe(42);
    });
  });

  describe('a key', () => {
    it('belongs to its task', async () => {
      const other = defineTask({ name: 'other', run: () => {} });
      const submitted = [
        await scene.queue.submit(double, 1, { key: 'a' }),
        await scene.queue.submit(other, null, { key: 'a' }),
        await scene.queue.submit(double, 2, { key: 'a' }),
      ];

      expect(submitted.map(({ isNew }) => isNew)).toEqual([true, true, false]);
    });

    it('stays known after thousands of other runs have ended', async () => {
      const { queue } = scene;
      const worker = await scene.startWorker({ tasks: [double], concurrency: 50 });
      const { id } = await queue.submit(double, 1, { key: 'first' });
      await queue.submitMany(double, numbers(2_500));
      await worker.whenIdle();

      expect(await queue.submit(double, 1, { key: 'first' })).toEqual({ id, isNew: false });
    });
  });
}
