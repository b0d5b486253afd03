import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';
import { promiseOf, untilAborted } from './worker-scene.ts';

const QUICK = { backoff: { type: 'constant', base: 20 }, jitter: 'none' } as const;

/** What handlers and operators say about runs and lanes. */
export function describeOperating(scene: WorkerScene): void {
  const until = async <Value>(ask: () => Promise<Value | undefined>): Promise<Value> => {
    for (;;) {
      const value = await ask();
      if (value !== undefined) return value;
      await scene.rest(5);
    }
  };

  describe('releases', () => {
    it('give a run back for later, uncharged', async () => {
      const task = defineTask({
        name: 'busy',
        retry: { maxAttempts: 1 },
        run: (_: null, { epoch, attempt, release }) => {
          if (epoch < 3) release({ delay: 50, reason: 'busy' });
          return attempt;
        },
      });
      const { id } = await scene.queue.submit(task, null);
      await scene.startWorker({ tasks: [task] });

      const run = await scene.reach(id, 'completed');

      expect(run).toMatchObject({ epoch: 3, releases: 2, failures: 0, errors: [], result: '1' });
      expect((run.startedAt ?? 0) - (run.firstStartedAt ?? 0)).toBeGreaterThanOrEqual(100);
    });

    it('are bounded by maxReleases', async () => {
      const task = defineTask({ name: 'never', maxReleases: 5, run: (_: null, { release }) => release() });
      const { id } = await scene.queue.submit(task, null);
      await scene.startWorker({ tasks: [task] });

      const run = await scene.reach(id, 'failed');

      expect(run).toMatchObject({ releases: 5, failures: 1, errors: [{ name: 'ReleasesExhaustedError' }] });
    });
  });

  describe('holds', () => {
    it('of a queue stop the workers of other processes, until it is resumed', async () => {
      const started: string[] = [];
      const task = defineTask({ name: 'held', run: (name: string) => void started.push(name) });
      const free = defineTask({ name: 'free', run: (name: string) => void started.push(name) });
      await scene.startWorker({ tasks: [task, free], pollInterval: '1m' });
      await scene.queue.hold(task, { reason: 'maintenance', by: 'ada' });
      const { id } = await scene.queue.submit(task, 'held');
      await scene.reach((await scene.queue.submit(free, 'free')).id, 'completed');
      await scene.rest(100);
      expect(started).toEqual(['free']);
      const other = await scene.openQueue();
      expect(await other.holds()).toMatchObject([
        { lane: 'held@1', source: 'operator', reason: 'maintenance', by: 'ada' },
      ]);

      expect(await other.resume(task)).toBe('resumed');

      await scene.reach(id, 'completed');
      expect(await scene.queue.holds()).toEqual([]);
    });

    it('of a handler end by themselves, and wake the worker', async () => {
      const startedAt: number[] = [];
      const task = defineTask({
        name: 'paused',
        run: async (_: null, { epoch, hold, release }) => {
          startedAt.push(scene.now());
          if (epoch > 1) return;
          await hold({ for: 200 });
          release();
        },
      });
      const { id } = await scene.queue.submit(task, null);
      await scene.startWorker({ tasks: [task], pollInterval: '1m' });

      await scene.reach(id, 'completed');

      const [first = 0, second = 0] = startedAt;
      expect(second - first).toBeGreaterThanOrEqual(190);
    });

    it('for which a server asks stop the workers of all processes until then, with adapt', async () => {
      const startedAt: number[] = [];
      const task = defineTask({
        name: 'adapting',
        adapt: true,
        retry: { ...QUICK, maxAttempts: 3 },
        run: (isLimited: boolean, { attempt }) => {
          startedAt.push(scene.now());
          const headers = { 'retry-after-ms': '1000' };
          if (isLimited && attempt === 1) throw Object.assign(new Error('429'), { status: 429, headers });
        },
      });
      const options = { tasks: [task], prefetch: 0, pollInterval: '1m' } as const;
      for (let workers = 0; workers < 2; workers += 1) await scene.startWorker(options);
      const { id: limited } = await scene.queue.submit(task, true);
      const [hold] = await until(async () => {
        const holds = await scene.queue.holds();
        return holds.length > 0 ? holds : undefined;
      });
      const submitted = await scene.queue.submitMany(task, Array(10).fill(false));

      for (const { id } of [{ id: limited }, ...submitted]) await scene.reach(id, 'completed');

      const [first = 0, ...others] = startedAt;
      expect(hold).toMatchObject({
        lane: 'adapting@1',
        source: 'handler',
        reason: 'asked by a server: Error: 429',
      });
      expect(hold?.until === undefined ? 0 : hold.until - hold.heldAt).toBeLessThanOrEqual(1_000);
      expect(others).toHaveLength(11);
      expect(Math.min(...others) - first).toBeGreaterThanOrEqual(990);
      expect(await scene.queue.holds()).toEqual([]);
    });
  });

  describe('a circuit breaker', () => {
    it('holds the lane for all workers, probes, and resumes it when the dependency is back', async () => {
      let isAway = true;
      let calls = 0;
      const task = defineTask({
        name: 'dependent',
        retry: { ...QUICK, maxAttempts: 2 },
        circuitBreaker: { failureRatio: 0.5, minimumThroughput: 3, breakDuration: 100 },
        run: () => {
          calls += 1;
          if (isAway) throw new Error('away');
        },
      });
      const submitted = await scene.queue.submitMany(task, Array(30).fill(null));
      const options = { tasks: [task], concurrency: 1, prefetch: 0, pollInterval: '1m' } as const;
      for (let workers = 0; workers < 2; workers += 1) await scene.startWorker(options);
      const [hold] = await until(async () => {
        const holds = await scene.queue.holds();
        return holds.length > 0 && holds[0]?.reason?.startsWith('a probe failed') ? holds : undefined;
      });
      expect(hold).toMatchObject({ lane: 'dependent@1', source: 'circuit-breaker', probeMs: 100 });
      expect(calls).toBeLessThan(15);

      isAway = false;
      const ended = await Promise.all(submitted.map(({ id }) => scene.reach(id, 'completed')));

      expect(ended.every(({ failures }) => failures <= 1)).toBe(true);
      expect(await until(async () => ((await scene.queue.holds()).length === 0 ? true : undefined))).toBe(
        true,
      );
    });
  });

  describe('an operator', () => {
    it('ends, moves and repeats runs from another process', async () => {
      const task = defineTask({ name: 'work', run: (name: string) => name });
      const { id: completed } = await scene.queue.submit(task, 'a', { delay: '1h', keepResult: '1m' });
      const { id: failed } = await scene.queue.submit(task, 'b', { delay: '1h' });
      const { id: moved } = await scene.queue.submit(task, 'c', { delay: '1h' });
      const other = await scene.openQueue();
      const result = scene.queue.waitForResult(completed);
      const worker = await scene.startWorker({ tasks: [task], pollInterval: '1m' });

      const answers = await Promise.all([
        other.complete(completed, { by: 'hand' }),
        other.fail(failed, new RangeError('no')),
        other.runNow(moved),
      ]);
      const again = await other.resubmit(failed, { payload: 'd' });

      expect(answers).toEqual(['done', 'done', 'rescheduled']);
      expect(await result).toEqual({ by: 'hand' });
      expect(await scene.reach(moved, 'completed')).toMatchObject({ result: '"c"' });
      expect(await scene.reach(again?.id ?? '', 'completed')).toMatchObject({
        result: '"d"',
        origin: failed,
      });
      expect(await scene.queue.get(failed)).toMatchObject({ state: 'failed', failures: 0 });
      await worker.stop();
    });

    it('asks a running run to cancel before it ends it', async () => {
      const called = promiseOf<void>();
      const task = defineTask({
        name: 'long',
        run: (_: null, { signal }) => {
          called.resolve();
          return untilAborted(signal);
        },
      });
      const { id } = await scene.queue.submit(task, null);
      await scene.startWorker({ tasks: [task] });
      await called.promise;

      expect(await scene.queue.complete(id, 'by hand')).toBe('requested');

      expect(await scene.reach(id, 'cancelled')).toMatchObject({ failures: 0 });
    });
  });

  describe('a policy of a submission', () => {
    it('is kept with the run, and decides about it', async () => {
      const task = defineTask({
        name: 'doomed',
        retry: { maxAttempts: 1 },
        run: () => {
          throw new Error('no');
        },
      });
      const { id } = await scene.queue.submit(task, null, { retry: { ...QUICK, maxAttempts: 3 } });
      await scene.startWorker({ tasks: [task] });

      const run = await scene.reach(id, 'failed');

      expect(run).toMatchObject({ failures: 3 });
      expect(JSON.parse(run.retry ?? '')).toMatchObject({ maxAttempts: 3, jitter: 'none' });
    });
  });
}
