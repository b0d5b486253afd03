import type { Broker } from '@retry/core/broker';
import type { ShutdownPolicy } from '@retry/worker';
import { createWorker, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { never, pass, setScene } from './scene.ts';

/** A task of 10 s whose handlers tell why they were stopped. */
function longTask({ clock }: Scene, onShutdown: ShutdownPolicy, rest: object = {}) {
  const reasons: unknown[] = [];
  const task = defineTask({
    name: 'long',
    onShutdown,
    ...rest,
    run: async (_: null, { signal }) => {
      signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name));
      await pass(clock, 10_000);
    },
  });
  return { task, reasons };
}

describe('stop', () => {
  it('gives running runs back to the front of their lane, and charges nothing (resubmit)', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, reasons } = longTask(scene, 'resubmit');
    for (const key of ['a', 'b', 'c', 'd']) await queue.submit(task, null, { key });
    const first = startWorker({ tasks: [task], concurrency: 2 });
    await clock.advance('4s');

    await first.stop();

    expect(clock.now()).toBe(4_000);
    expect(reasons).toEqual(['ShutdownError', 'ShutdownError']);
    expect(first.toldOf('released')).toMatchObject([{ id: 'a' }, { id: 'b' }]);
    for (const id of ['a', 'b']) {
      expect(await queue.get(id)).toMatchObject({
        state: 'submitted',
        releases: 1,
        failures: 0,
        stalls: 0,
        errors: [],
      });
    }
    const second = startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance('1m');
    expect(second.toldOf('started')).toMatchObject([
      { id: 'a', attempt: 1, epoch: 2 },
      { id: 'b', attempt: 1, epoch: 2 },
      { id: 'c', attempt: 1, epoch: 1 },
      { id: 'd', attempt: 1, epoch: 1 },
    ]);
  });

  it.each([
    ['retry', { state: 'submitted', stalls: 1 }],
    ['fail', { state: 'failed', stalls: 1 }],
    ['hold', { state: 'stalled', stalls: 1 }],
  ] as const)(
    'stalls running runs, and charges them, as onStall %s says (stop)',
    async (onStall, expected) => {
      const scene = setScene();
      const { clock, queue, startWorker } = scene;
      const { task, reasons } = longTask(scene, 'stop', { onStall, retry: { backoff: { type: 'none' } } });
      const { id } = await queue.submit(task, null);
      const worker = startWorker({ tasks: [task] });
      await clock.advance('4s');

      await worker.stop();

      expect(reasons).toEqual(['ShutdownError']);
      expect(await queue.get(id)).toMatchObject({
        ...expected,
        releases: 0,
        errors: [{ name: 'StalledError', message: 'the worker stopped' }],
      });
    },
  );

  it('awaits running runs, claims no more and keeps their leases (continue)', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, reasons } = longTask(scene, 'continue');
    const [first, second] = await queue.submitMany(task, [null, null]);
    const worker = startWorker({ tasks: [task], concurrency: 1, lease: '3s' });
    startWorker({
      tasks: [defineTask({ name: 'other', run: () => {} })],
      lease: '3s',
      cleanerInterval: '1s',
    });
    await clock.advance('4s');

    const stopped = worker.stop();
    await clock.advance('6s');
    await stopped;

    expect(clock.now()).toBe(10_000);
    expect(reasons).toEqual([]);
    expect(await queue.get(first?.id ?? '')).toMatchObject({ state: 'completed', completedAt: 10_000 });
    expect(await queue.get(second?.id ?? '')).toMatchObject({ state: 'submitted', epoch: 0 });
  });

  it('gives back at its deadline what still runs', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, reasons } = longTask(scene, 'continue');
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], shutdownTimeout: '3s' });
    await clock.advance('4s');

    const stopped = worker.stop();
    await clock.advance('2999ms');
    expect(reasons).toEqual([]);
    await clock.advance(1);
    await stopped;

    expect(clock.now()).toBe(7_000);
    expect(reasons).toEqual(['ShutdownError']);
    expect(await queue.get(id)).toMatchObject({ state: 'submitted', releases: 1 });
  });

  it('has a deadline of 25 s by default, and none when told so', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = defineTask({ name: 'slow', onShutdown: 'continue', run: () => pass(clock, 100_000) });
    const [first, second] = await queue.submitMany(task, [null, null]);
    const usual = startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance(0);
    const patient = startWorker({ tasks: [task], concurrency: 1, shutdownTimeout: 'Infinity' });
    await clock.advance(0);

    void usual.stop();
    void patient.stop();
    await clock.advance('200s');

    expect(await queue.get(first?.id ?? '')).toMatchObject({ state: 'submitted', submittedAt: 25_000 });
    expect(await queue.get(second?.id ?? '')).toMatchObject({ state: 'completed', completedAt: 100_000 });
  });

  it('leaves no timer and no listener of the process behind', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const before = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
    const task = defineTask({ name: 'timed', timeout: '1h', heartbeat: '1h', run: never });
    await queue.submitMany(task, [null, null]);
    const worker = startWorker({ tasks: [task] });
    const listening = createWorker({ broker, clock, tasks: [task] });
    listening.start();
    expect(process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')).toBe(before + 2);
    await clock.advance('1m');

    await Promise.all([worker.stop(), listening.stop()]);

    expect(clock.pendingTimers()).toBe(0);
    expect(process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')).toBe(before);
  });

  it('gives the same end to everybody who asks, and an end to who never started', async () => {
    const { clock, broker, startWorker } = setScene();
    const task = defineTask({ name: 'any', run: () => {} });
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');

    await Promise.all([worker.stop(), worker.stop()]);
    await worker.stop();
    await createWorker({ broker, clock, tasks: [task], signals: [] }).stop();

    expect(clock.pendingTimers()).toBe(0);
  });

  it('gives back at once what a claim on its way still brings', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const slow: Broker = {
      ...broker,
      exchange: async (request) => {
        const reply = await broker.exchange(request);
        if (reply.claimed.length > 0) await pass(clock, 500);
        return reply;
      },
    };
    const task = defineTask({ name: 'any', onShutdown: 'continue', run: () => {} });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], broker: slow });
    await clock.advance(1);

    const stopped = worker.stop();
    await clock.advance('1s');
    await stopped;

    expect(worker.toldOf('started')).toEqual([]);
    expect(await queue.get(id)).toMatchObject({ state: 'submitted', releases: 1 });
  });

  it('settles what ended while the broker was down', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let isDown = false;
    const flaky: Broker = {
      ...broker,
      exchange: (request) => (isDown ? Promise.reject(new Error('down')) : broker.exchange(request)),
    };
    const task = defineTask({ name: 'any', onShutdown: 'continue', run: () => pass(clock, 1_000) });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], broker: flaky });
    await clock.advance(1);
    isDown = true;

    const stopped = worker.stop();
    await clock.advance('10s');
    isDown = false;
    await clock.advance('10s');
    await stopped;

    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 1 });
  });

  it.each<[string, Broker['exchange'], number]>([
    ['fails for good', () => Promise.reject(new Error('down')), 21_000],
    ['never answers any more', never, 22_000],
  ])('ends within a second of its deadline when the broker %s', async (_name, exchange, expectedAt) => {
    const { clock, broker, queue, startWorker } = setScene();
    let isDown = false;
    const dying: Broker = {
      ...broker,
      exchange: (request) => (isDown ? exchange(request) : broker.exchange(request)),
    };
    const task = defineTask({
      name: 'any',
      onShutdown: 'continue',
      run: (isQuick: boolean) => (isQuick ? pass(clock, 2_000) : never()),
    });
    // The quick one ends while the broker is down, so that its settlement is being sent again and again.
    const [{ id } = { id: '' }] = await queue.submitMany(task, [false, true]);
    const worker = startWorker({ tasks: [task], broker: dying, shutdownTimeout: '20s', concurrency: 2 });
    await clock.advance('1s');
    isDown = true;

    let stoppedAt = 0;
    void worker.stop().then(() => {
      stoppedAt = clock.now();
    });
    await clock.advance('22s');

    expect(stoppedAt).toBe(expectedAt);
    expect(clock.pendingTimers()).toBe(0);
    // Nobody heard that it was given back: its lease ends, and it stalls.
    startWorker({ tasks: [task] });
    await clock.advance('1m');
    expect(await queue.get(id)).toMatchObject({ stalls: 1 });
  });

  it('does not wait out a rest that a failing wait for work began', async () => {
    const { clock, broker, startWorker } = setScene();
    const touchy: Broker = {
      ...broker,
      waitForWork: (_lanes, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    };
    const worker = startWorker({ tasks: [defineTask({ name: 'any', run: () => {} })], broker: touchy });
    await clock.advance('1s');

    await worker.stop();

    expect(clock.now()).toBe(1_000);
  });
});

describe('drain', () => {
  it('resolves when nothing waits, is scheduled or runs any more', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'slow', run: () => pass(clock, 2_000) });
    await queue.submitMany(task, Array(3).fill(null));
    await queue.submit(task, null, { delay: '10s' });
    const worker = startWorker({ tasks: [task], concurrency: 2 });

    let drainedAt: number | undefined;
    void worker.drain().then(() => {
      drainedAt = clock.now();
    });
    await clock.advance('12s');
    await clock.advance('1s');

    expect(drainedAt).toBeGreaterThanOrEqual(12_000);
    expect(drainedAt).toBeLessThanOrEqual(12_020);
    expect((await queue.counts()).ended.completed).toBe(4);
  });

  it('resolves at once when there is nothing to do', async () => {
    const { startWorker } = setScene();

    await startWorker({ tasks: [defineTask({ name: 'any', run: () => {} })] }).drain();
  });

  it('ends with its worker and leaves no timer', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'stuck', run: never });
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });
    const drained = worker.drain();
    await clock.advance('1s');

    await worker.stop();
    await drained;

    expect(clock.pendingTimers()).toBe(0);
  });
});
