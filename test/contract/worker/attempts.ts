import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';

const QUICK = { backoff: { type: 'constant', base: 20 }, jitter: 'none' } as const;

/** Attempts, their results, and runs without attempts left. */
export function describeAttempts(scene: WorkerScene): void {
  describe('attempts', () => {
    it('returns the result of the handler to the caller that waits for it', async () => {
      const task = defineTask({ name: 'sum', run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }) });
      const { id } = await scene.queue.submit(task, { a: 2, b: 3 });
      const result = scene.queue.waitForResult(id);

      await scene.startWorker({ tasks: [task] });

      expect(await result).toEqual({ sum: 5 });
    });

    it('is retried until it succeeds, never before its delay has passed', async () => {
      const task = defineTask({
        name: 'flaky',
        retry: { ...QUICK, maxAttempts: 3 },
        run: (_: null, { attempt }) => {
          if (attempt < 3) throw new TypeError(`no. ${attempt}`);
          return attempt;
        },
      });
      const { id } = await scene.queue.submit(task, null);
      await scene.startWorker({ tasks: [task] });

      expect(await scene.queue.waitForResult(id)).toBe(3);

      const run = await scene.reach(id, 'completed');
      const [first, second] = run.errors;
      expect(run).toMatchObject({
        epoch: 3,
        failures: 2,
        errors: [{ message: 'no. 1' }, { message: 'no. 2' }],
      });
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(20);
      expect((run.startedAt ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(20);
    });

    it('keeps a stack that shows the handler and not the worker', async () => {
      const task = defineTask({ name: 'sync', retry: { maxAttempts: 1 }, run: failImmediately });
      const runs = await Promise.all([1, 2].map(() => scene.queue.submit(task, null)));
      await scene.startWorker({ tasks: [task], concurrency: 1 });

      const ended = await Promise.all(runs.map(({ id }) => scene.reach(id, 'failed')));

      for (const { errors } of ended) {
        const [, ...frames] = errors[0]?.stack?.split('\n') ?? [];
        expect(frames[0]).toContain('at Object.failImmediately');
        // Of the worker's only the one that calls handlers.
        expect(frames.filter((frame) => frame.includes('/worker/src/')).length).toBeLessThanOrEqual(1);
      }
    });

    it('becomes a dead letter whose redrive resets the attempts', async () => {
      let isMended = false;
      const task = defineTask({
        name: 'broken',
        retry: { ...QUICK, maxAttempts: 2 },
        run: () => {
          if (!isMended) throw new RangeError('broken');
          return 'mended';
        },
      });
      const { id } = await scene.queue.submit(task, null);
      await scene.startWorker({ tasks: [task] });
      await scene.reach(id, 'failed');
      const dead = (await scene.queue.deadLetters.list({ task, errorName: 'RangeError' })).runs;
      isMended = true;

      const redriven = await scene.queue.deadLetters.redrive({ task });

      expect(dead).toMatchObject([{ id, failures: 2 }]);
      expect(redriven).toEqual([id]);
      expect(await scene.queue.waitForResult(id)).toBe('mended');
      expect(await scene.queue.get(id)).toMatchObject({ epoch: 3, failures: 0, redrives: 1 });
    });

    it('runs each submission once, and a known key only once', async () => {
      const seen: number[] = [];
      const task = defineTask({ name: 'note', run: (number: number) => void seen.push(number) });
      const numbers = Array.from({ length: 300 }, (_, index) => index);
      const other = await scene.openQueue();
      const submitted = numbers.map((number) => scene.queue.submit(task, number, { key: `key-${number}` }));
      const again = numbers.map((number) => other.submit(task, number, { key: `key-${number}` }));
      const isNew = (await Promise.all([...submitted, ...again])).filter((one) => one.isNew);
      const workers = [1, 2, 3].map(() => scene.startWorker({ tasks: [task], concurrency: 20 }));

      for (const worker of await Promise.all(workers)) await worker.whenIdle();

      expect(isNew).toHaveLength(300);
      expect(seen.sort((left, right) => left - right)).toEqual(numbers);
    });

    it('does not start a delayed run before its time', async () => {
      const task = defineTask({ name: 'later', run: () => {} });
      await scene.startWorker({ tasks: [task], pollInterval: '1m' });
      const { id } = await scene.queue.submit(task, null, { delay: 150 });

      const { firstStartedAt = 0, submittedAt = 0, runAt = 0 } = await scene.reach(id, 'completed');

      expect(firstStartedAt).toBeGreaterThanOrEqual(runAt);
      expect(runAt).toBeGreaterThan(0);
      expect(submittedAt).toBeGreaterThanOrEqual(runAt);
    });
  });
}

function failImmediately(): never {
  throw new Error('immediately');
}
