import { fromJobbers } from '@retry/core/dialects';
import type { TaskInput, WorkerOptions } from '@retry/worker';
import { defineTask, taskFrom } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { never, pass, setScene, untilStopped } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '1s' }, jitter: 'none' } as const;

/** A handler that takes 20 s of the scene's time, whatever its signal says, and notes how many there were at the same time. */
function ignoring({ clock }: Scene) {
  const noted = { now: 0, most: 0, startedAt: [] as number[] };
  const run = async (): Promise<string> => {
    noted.startedAt.push(clock.now());
    noted.now += 1;
    noted.most = Math.max(noted.most, noted.now);
    await pass(clock, 20_000);
    noted.now -= 1;
    return 'late';
  };
  return { noted, run };
}

type Limits = Partial<TaskInput<null, unknown>>;

const FOUR_TIMEOUTS = { retry: { ...STEADY, maxAttempts: 4, attemptTimeout: '5s' } } as const;
const JOBBERS = taskFrom(
  fromJobbers({
    max_retries: 3,
    retry_delay: 1,
    backoff_strategy: 'constant',
    timeout: 5,
    max_concurrent: 1,
  }),
);

describe('a handler that ignores its signal', () => {
  it.each<[string, Limits, Partial<WorkerOptions>]>([
    ['concurrency', FOUR_TIMEOUTS, { concurrency: 1 }],
    ['maxConcurrent', { ...FOUR_TIMEOUTS, maxConcurrent: 1 }, {}],
    ['globalConcurrency', { ...FOUR_TIMEOUTS, globalConcurrency: 1 }, {}],
    ['max_concurrent of jobbers', JOBBERS, {}],
  ])('counts in %s until it returns, also in the next attempt of its run', async (_name, limits, options) => {
    const scene = setScene();
    const { noted, run } = ignoring(scene);
    const task = defineTask({ ...limits, name: 'ignoring', run });
    const { id } = await scene.queue.submit(task, null);
    await scene.queue.submit(task, null);
    const count = 'globalConcurrency' in limits ? 2 : 1;
    const workers = Array.from({ length: count }, () => scene.startWorker({ tasks: [task], ...options }));

    await scene.clock.advance('10m');

    expect(noted.startedAt).toHaveLength(8);
    expect(noted.most).toBe(1);
    expect(await scene.queue.get(id)).toMatchObject({ state: 'failed', failures: 4 });
    expect(workers.flatMap(({ emittedOf }) => emittedOf('abandoned'))).toEqual([]);
  });

  it.each([true, false])(
    'keeps the slot of its key until it returns (holdWhileRetrying: %s)',
    async (holdWhileRetrying) => {
      const scene = setScene();
      const { noted, run } = ignoring(scene);
      const task = defineTask({ ...FOUR_TIMEOUTS, name: 'ignoring', run });
      const concurrency = { key: 'k', limit: 1, holdWhileRetrying };
      await scene.queue.submitMany(task, [null, null], { concurrency });
      scene.startWorker({ tasks: [task] });
      scene.startWorker({ tasks: [task] });

      await scene.clock.advance('10m');

      expect(noted.startedAt).toHaveLength(8);
      expect(noted.most).toBe(1);
    },
  );

  it('is ended as its timeout says, although it returns a result', async () => {
    const scene = setScene();
    const { run } = ignoring(scene);
    const task = defineTask({ name: 'ignoring', retry: { maxAttempts: 1, attemptTimeout: '5s' }, run });
    const { id } = await scene.queue.submit(task, null);
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1m');

    expect(await scene.queue.get(id)).toMatchObject({
      state: 'failed',
      endedAt: 20_000,
      errors: [{ name: 'AttemptTimeoutError', durationMs: 20_000 }],
    });
    expect(worker.emitted.map(({ type }) => type)).toEqual(['started', 'failed']);
  });

  it('is abandoned after abandonAfter, by default a lease: an event says so, and its room is free', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'stuck',
      retry: { maxAttempts: 1, attemptTimeout: '5s' },
      run: (isStuck: boolean) => (isStuck ? never() : 'free'),
    });
    const [first, second] = await queue.submitMany(task, [true, false]);
    const worker = startWorker({ tasks: [task], concurrency: 1, lease: '12s' });

    await clock.advance('1m');

    expect(worker.emittedOf('abandoned')).toMatchObject([
      { id: first?.id, attempt: 1, durationMs: 17_000, error: { name: 'AttemptTimeoutError' } },
    ]);
    expect(await queue.get(first?.id ?? '')).toMatchObject({ state: 'failed', endedAt: 17_000, stalls: 0 });
    expect(await queue.get(second?.id ?? '')).toMatchObject({ state: 'completed', startedAt: 17_000 });
  });

  it.each([
    [
      'of the task before that of the worker',
      { abandonAfter: '2s' as const },
      { abandonAfter: '9s' as const },
      7_000,
    ],
    ['of the worker', {}, { abandonAfter: '9s' as const }, 14_000],
    ['of 0: immediately', { abandonAfter: 0 }, {}, 5_000],
    ['of Infinity: never', { abandonAfter: 'Infinity' as const }, {}, undefined],
  ])('is abandoned after the abandonAfter %s', async (_name, ofTask, ofWorker, endedAt) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      ...ofTask,
      name: 'stuck',
      retry: { maxAttempts: 1, attemptTimeout: '5s' },
      run: (_: null) => never(),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], ...ofWorker });

    await clock.advance('10m');

    expect(await queue.get(id)).toMatchObject(
      endedAt === undefined ? { state: 'started', epoch: 1 } : { state: 'failed', endedAt },
    );
  });

  it('has no effect after it was abandoned, except an event', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'zombie',
      retry: { ...STEADY, maxAttempts: 2, attemptTimeout: '5s' },
      abandonAfter: '5s',
      run: async (_: null, { attempt }) => {
        if (attempt === 2) return 'second';
        await pass(clock, 30_000);
        throw new Error('too late');
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', result: 'second', failures: 1 });
    expect(worker.emittedOf('returnedLate')).toMatchObject([
      { id, epoch: 1, durationMs: 30_000, error: { message: 'too late' } },
    ]);
  });

  it('is cancelled rather than retried when the request comes after its timeout', async () => {
    const scene = setScene();
    const { run } = ignoring(scene);
    const task = defineTask({ ...FOUR_TIMEOUTS, name: 'ignoring', run });
    const { id } = await scene.queue.submit(task, null);
    scene.startWorker({ tasks: [task] });
    await scene.clock.advance('6s');

    expect(await scene.queue.cancel(id)).toBe('requested');
    await scene.clock.advance('1m');

    expect(await scene.queue.get(id)).toMatchObject({ state: 'cancelled', epoch: 1, endedAt: 20_000 });
  });

  it('keeps its room in the worker when its lease is lost', async () => {
    const scene = setScene();
    const { clock, broker, queue, startWorker } = scene;
    const { noted, run } = ignoring(scene);
    const task = defineTask({ name: 'ignoring', run });
    let isFenced = true;
    const heartbeat: typeof broker.heartbeat = async (leases, leaseMs) => {
      if (!isFenced || leaseMs === 0) return broker.heartbeat(leases, leaseMs);
      isFenced = false;
      return leases.map(() => 'fenced' as const);
    };
    await queue.submitMany(task, [null, null]);
    const worker = startWorker({
      tasks: [task],
      broker: { ...broker, heartbeat },
      concurrency: 1,
      lease: '9s',
    });
    await clock.advance('4s');
    expect(worker.emittedOf('fenced')).toHaveLength(1);

    await clock.advance('7999ms');
    expect(noted.startedAt).toEqual([0]);
    await clock.advance(1);

    // A lease after it was lost.
    expect(worker.emittedOf('abandoned')).toMatchObject([{ epoch: 1, durationMs: 12_000 }]);
    expect(noted.startedAt).toEqual([0, 12_000]);
  });
});

describe('a worker that stops while a handler ignores its signal', () => {
  it.each(['release', 'stall'] as const)(
    'keeps what is finished in time after all (%s)',
    async (onShutdown) => {
      const scene = setScene();
      const { run } = ignoring(scene);
      const task = defineTask({ name: 'ignoring', onShutdown, run });
      const { id } = await scene.queue.submit(task, null);
      const worker = scene.startWorker({ tasks: [task] });
      await scene.clock.advance('5s');

      const stopped = worker.stop();
      await scene.clock.advance('15s');
      await stopped;

      expect(await scene.queue.get(id)).toMatchObject({
        ...{ state: 'completed', result: 'late' },
        ...{ releases: 0, stalls: 0 },
      });
    },
  );

  it('cancels what is to be cancelled, whatever is finished (stall)', async () => {
    const scene = setScene();
    const { run } = ignoring(scene);
    const task = defineTask({ name: 'ignoring', onShutdown: 'stall', run });
    const { id } = await scene.queue.submit(task, null);
    const worker = scene.startWorker({ tasks: [task] });
    await scene.clock.advance('5s');

    const stopped = worker.stop();
    await scene.queue.cancel(id);
    await scene.clock.advance('15s');
    await stopped;

    expect(await scene.queue.get(id)).toMatchObject({ state: 'cancelled', stalls: 0 });
  });

  it.each([
    ['release', { shutdownTimeout: '10s' as const }, 15_000],
    ['stall', { shutdownTimeout: '10s' as const }, 15_000],
    ['release', { shutdownTimeout: '10s' as const, abandonAfter: '2s' as const }, 7_000],
    ['finish', { shutdownTimeout: '10s' as const }, 15_500],
    ['finish', { shutdownTimeout: '10s' as const, abandonAfter: 0 }, 15_000],
  ] as const)('abandons it in time (onShutdown: %s, %j)', async (onShutdown, options, abandonedAt) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'stuck', onShutdown, run: (_: null) => never() });
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], ...options });
    await clock.advance('5s');

    let stoppedAt = 0;
    void worker.stop().then(() => {
      stoppedAt = clock.now();
    });
    await clock.advance('1m');

    expect(worker.emittedOf('abandoned')).toMatchObject([
      { durationMs: abandonedAt, error: { name: 'ShutdownError' } },
    ]);
    expect(stoppedAt).toBeGreaterThanOrEqual(abandonedAt);
    expect(stoppedAt).toBeLessThanOrEqual(16_500);
    expect(clock.pendingTimers()).toBe(0);
    expect((await queue.counts()).started).toBe(0);
  });

  it('leaves no timer for a handler whose lease was lost before', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const task = defineTask({ name: 'stuck', run: (_: null) => never() });
    const fencing = {
      ...broker,
      heartbeat: async (leases: readonly unknown[]) => leases.map(() => 'fenced' as const),
    };
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], broker: fencing, lease: '9s' });
    await clock.advance('4s');

    await worker.stop();

    expect(clock.pendingTimers()).toBe(0);
    // So that the scene is balanced: its lease expires.
    startWorker({ tasks: [defineTask({ name: 'stuck', run: untilStopped })] });
  });
});
