import type { Broker } from '@retry/core/broker';
import type { AnyTask, WorkerOptions } from '@retry/worker';
import { createWorker, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { hearWarnings } from '../support/hear-warnings.ts';
import type { Scene } from './scene.ts';
import { never, pass, setScene, taking, untilStopped } from './scene.ts';

/** A task of 10 s whose handlers record why they were stopped. */
function longTask({ clock }: Scene, onShutdown: AnyTask['onShutdown'], rest: object = {}) {
  const reasons: unknown[] = [];
  const task = defineTask({
    name: 'long',
    onShutdown,
    ...rest,
    run: async (_: null, ctx) => {
      ctx.signal.addEventListener('abort', () => reasons.push((ctx.signal.reason as Error).name));
      await taking(clock, 10_000)(_, ctx);
    },
  });
  return { task, reasons };
}

describe('stop', () => {
  it('gives running runs back to the front of their lane, and charges nothing (release)', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, reasons } = longTask(scene, 'release');
    for (const key of ['a', 'b', 'c', 'd']) await queue.submit(task, null, { key });
    const first = startWorker({ tasks: [task], concurrency: 2 });
    await clock.advance('4s');

    await first.stop();

    expect(clock.now()).toBe(4_000);
    expect(reasons).toEqual(['ShutdownError', 'ShutdownError']);
    expect(first.emittedOf('released')).toMatchObject([{ id: 'long@a' }, { id: 'long@b' }]);
    for (const id of ['long@a', 'long@b']) {
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
    expect(second.emittedOf('started')).toMatchObject([
      { id: 'long@a', attempt: 1, epoch: 2 },
      { id: 'long@b', attempt: 1, epoch: 2 },
      { id: 'long@c', attempt: 1, epoch: 1 },
      { id: 'long@d', attempt: 1, epoch: 1 },
    ]);
  });

  it.each([
    ['retry', { state: 'submitted', stalls: 1 }],
    ['fail', { state: 'failed', stalls: 1 }],
    ['hold', { state: 'stalled', stalls: 1 }],
  ] as const)(
    'stalls running runs, and charges them, as onStall %s says (stall)',
    async (onStall, expected) => {
      const scene = setScene();
      const { clock, queue, startWorker } = scene;
      const { task, reasons } = longTask(scene, 'stall', { onStall, retry: { backoff: { type: 'none' } } });
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

  it('awaits running runs, claims no more and keeps their leases (finish)', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, reasons } = longTask(scene, 'finish');
    const [first, second] = await queue.submitMany(task, [null, null]);
    const warnings = hearWarnings();
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
    expect(await queue.get(first?.id ?? '')).toMatchObject({ state: 'completed', endedAt: 10_000 });
    expect(await queue.get(second?.id ?? '')).toMatchObject({ state: 'submitted', epoch: 0 });
    expect(warnings).toEqual([expect.stringMatching(/^RETRY_UNATTENDED_LANE: .* long@1$/)]);
  });

  it('gives back what still runs at its deadline', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, reasons } = longTask(scene, 'finish');
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

  it('has a deadline of 25 s by default, and none with Infinity', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = defineTask({ name: 'slow', onShutdown: 'finish', run: taking(clock, 100_000) });
    const [first, second] = await queue.submitMany(task, [null, null]);
    const usual = startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance(0);
    const patient = startWorker({ tasks: [task], concurrency: 1, shutdownTimeout: 'Infinity' });
    await clock.advance(0);

    void usual.stop();
    void patient.stop();
    await clock.advance('200s');

    expect(await queue.get(first?.id ?? '')).toMatchObject({ state: 'submitted', submittedAt: 25_000 });
    expect(await queue.get(second?.id ?? '')).toMatchObject({ state: 'completed', endedAt: 100_000 });
  });

  it('lets handlers finish by default', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = defineTask({ name: 'usual', run: () => pass(clock, 10_000) });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });
    await clock.advance('4s');

    const stopped = worker.stop();
    await clock.advance('6s');
    await stopped;

    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 1, releases: 0 });
  });

  it('waits for each handler as long as its task says, whatever the worker says', async () => {
    const { clock, queue, startWorker } = setScene();
    const run = taking(clock, 100_000);
    const tasks = [
      defineTask({ name: 'short', shutdownTimeout: '2s', run }),
      defineTask({ name: 'usual', run }),
      defineTask({ name: 'long', shutdownTimeout: '50s', run }),
      defineTask({ name: 'endless', shutdownTimeout: 'Infinity', run }),
      defineTask({ name: 'none', shutdownTimeout: 0, run }),
    ];
    const ids = await Promise.all(tasks.map(async (task) => (await queue.submit(task, null)).id));
    const worker = startWorker({ tasks, shutdownTimeout: '10s' });
    await clock.advance('1s');

    let stoppedAt: number | undefined;
    void worker.stop().then(() => {
      stoppedAt = clock.now();
    });
    await clock.advance('5m');

    const runs = await Promise.all(ids.map((id) => queue.get(id)));
    expect(runs.map((run) => [run?.state, run?.submittedAt, run?.endedAt])).toEqual([
      ['submitted', 3_000, undefined],
      ['submitted', 11_000, undefined],
      ['submitted', 51_000, undefined],
      ['completed', 0, 100_000],
      ['submitted', 1_000, undefined],
    ]);
    expect(stoppedAt).toBe(100_000);
  });

  it('gives up on a broker that keeps failing once a handler without a limit has ended', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let isDown = false;
    const dying: Broker = {
      ...broker,
      exchange: (request) => (isDown ? Promise.reject(new Error('down')) : broker.exchange(request)),
    };
    const task = defineTask({
      name: 'endless',
      shutdownTimeout: 'Infinity',
      run: () => pass(clock, 60_000),
    });
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], broker: dying, shutdownTimeout: '10s' });
    await clock.advance('1s');
    isDown = true;

    let stoppedAt = 0;
    void worker.stop().then(() => {
      stoppedAt = clock.now();
    });
    await clock.advance('5m');

    expect(stoppedAt).toBeGreaterThanOrEqual(60_000);
    expect(stoppedAt).toBeLessThanOrEqual(62_000);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('is announced by a promise and an event, once', async () => {
    const { clock, startWorker } = setScene();
    const worker = startWorker({ tasks: [defineTask({ name: 'any', run: () => {} })] });
    let hasStopped = false;
    void worker.stopped.then(() => {
      hasStopped = true;
    });
    await clock.advance('1s');
    expect(hasStopped).toBe(false);

    await Promise.all([worker.stop(), worker.stop()]);

    expect(hasStopped).toBe(true);
    expect(worker.emittedOf('stopped')).toEqual([{}]);
  });

  it('does not close the broker, which others may use', async () => {
    const { clock, broker, startWorker } = setScene();
    const close = vi.fn(broker.close);
    const tasks = [defineTask({ name: 'any', run: () => {} })];
    const worker = startWorker({ tasks, broker: { ...broker, facts: { ownsConnection: true }, close } });
    await clock.advance('1s');

    await worker.stop();

    expect(close).not.toHaveBeenCalled();
  });

  it('of a worker that never started ends it, too', async () => {
    const { clock, broker, queue } = setScene();
    const task = defineTask({ name: 'any', run: () => {} });
    const { id } = await queue.submit(task, null);
    const worker = createWorker({ broker, clock, tasks: [task], signals: [] });

    await worker.stop();
    await worker.stopped;
    expect(() => worker.start()).toThrow(expect.objectContaining({ code: 'WORKER_STOPPED' }));
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'submitted', epoch: 0 });
  });

  it('is final: from then on a start is an error that says what to do', async () => {
    const { clock, startWorker } = setScene();
    const worker = startWorker({
      tasks: [defineTask({ name: 'any', run: taking(clock, 1_000) })],
      name: 'mails',
    });
    worker.start();

    const stopped = worker.stop();

    const refused = {
      code: 'WORKER_STOPPED',
      message: 'the worker mails was stopped and does not start again. Create another one with createWorker.',
    };
    expect(() => worker.start()).toThrow(expect.objectContaining(refused));
    await stopped;
    expect(() => worker.start()).toThrow(expect.objectContaining(refused));
  });

  it('leaves no timer and no listener of the process behind', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const before = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
    const task = defineTask({
      name: 'timed',
      onShutdown: 'release',
      retry: { attemptTimeout: '1h' },
      heartbeat: '1h',
      run: untilStopped,
    });
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

  it('returns the same promise to every caller, and resolves for a worker that never started', async () => {
    const { clock, broker, startWorker } = setScene();
    const task = defineTask({ name: 'any', run: () => {} });
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');

    await Promise.all([worker.stop(), worker.stop()]);
    await worker.stop();
    await createWorker({ broker, clock, tasks: [task], signals: [] }).stop();

    expect(clock.pendingTimers()).toBe(0);
  });

  it('gives back immediately what a pending claim still returns', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const slow: Broker = {
      ...broker,
      exchange: async (request) => {
        const reply = await broker.exchange(request);
        if (reply.claimed.length > 0) await pass(clock, 500);
        return reply;
      },
    };
    const task = defineTask({ name: 'any', onShutdown: 'finish', run: () => {} });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], broker: slow });
    await clock.advance(1);

    const stopped = worker.stop();
    await clock.advance('1s');
    await stopped;

    expect(worker.emittedOf('started')).toEqual([]);
    expect(await queue.get(id)).toMatchObject({ state: 'submitted', releases: 1 });
  });

  it('settles what ended while the broker was down', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let isDown = false;
    const flaky: Broker = {
      ...broker,
      exchange: (request) => (isDown ? Promise.reject(new Error('down')) : broker.exchange(request)),
    };
    const task = defineTask({ name: 'any', onShutdown: 'finish', run: () => pass(clock, 1_000) });
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
      onShutdown: 'finish',
      run: (isQuick: boolean, ctx) => (isQuick ? pass(clock, 2_000) : untilStopped(isQuick, ctx)),
    });
    // The quick one ends while the broker is down, so that its settlement is being sent again and again.
    const runs = await queue.submitMany(task, [false, true]);
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
    // The broker received neither that one was given back nor that the other one completed: both leases expire, and both runs stall. As it
    // is not known which of two ended their worker, neither is charged.
    startWorker({ tasks: [task] });
    await clock.advance('1m');
    const stalled = { stalls: 0, errors: [{ epoch: 1, reason: 'stalled', stalledWith: 1 }] };
    for (const { id } of runs) expect(await queue.get(id)).toMatchObject(stalled);
  });

  describe('while nothing runs and nothing is to be settled', () => {
    const task = defineTask({ name: 'any', run: () => {} });

    it.each<[string, keyof Broker, Broker['exchange'], WorkerOptions['shutdownTimeout']]>([
      ['fails every claim', 'exchange', () => Promise.reject(new Error('down')), '25s'],
      ['answers no claim', 'exchange', never, '25s'],
      ['answers no claim, of a worker without a deadline', 'exchange', never, 'Infinity'],
      ['does not let it unregister', 'attend', never, '25s'],
    ])('ends within 6 s when the broker %s', async (_, verb, dead, shutdownTimeout) => {
      const { clock, broker, startWorker } = setScene();
      let isDown = false;
      const call = broker[verb] as (request: never) => Promise<never>;
      const dying = { ...broker, [verb]: (request: never) => (isDown ? dead({}) : call(request)) };
      const worker = startWorker({ tasks: [task], broker: dying, shutdownTimeout, pollInterval: '1s' });
      await clock.advance('1s');
      isDown = true;
      await clock.advance('2s');

      let stoppedAt = Infinity;
      void worker.stop().then(() => {
        stoppedAt = clock.now();
      });
      await clock.advance('1m');

      expect(stoppedAt).toBeLessThanOrEqual(9_000);
      expect(clock.pendingTimers()).toBe(0);
    });

    it.each([
      ['gives back, uncharged, what a claim returns 4 s later', 4_000, { releases: 1, stalls: 0 }],
      ['gives it back when it has stopped before, and its process lives', 10_000, { releases: 1, stalls: 0 }],
      ['leaves it to its lease when it is never answered', Infinity, { releases: 0, stalls: 1 }],
    ])('%s', async (_, lateMs, expected) => {
      const { clock, broker, queue, startWorker } = setScene();
      const slow: Broker = {
        ...broker,
        exchange: async (request) => {
          const reply = await broker.exchange(request);
          if (reply.claimed.length > 0) await (lateMs < Infinity ? pass(clock, lateMs) : never());
          return reply;
        },
      };
      const { id } = await queue.submit(task, null);
      const worker = startWorker({ tasks: [task], broker: slow });
      await clock.advance(1);

      const stopped = worker.stop();
      await clock.advance('1m');
      await stopped;
      startWorker({ tasks: [task] });
      await clock.advance('2m');

      expect(worker.emittedOf('started')).toEqual([]);
      expect(await queue.get(id)).toMatchObject({ state: 'completed', ...expected });
    });

    it('still waits for the deadline with what a claim returned and the broker has not taken back', async () => {
      const { clock, broker, queue, startWorker } = setScene();
      let isDown = false;
      const flaky: Broker = {
        ...broker,
        exchange: async (request) => {
          if (isDown) throw new Error('down');
          const reply = await broker.exchange(request);
          if (reply.claimed.length === 0) return reply;
          await pass(clock, 2_000);
          isDown = true;
          return reply;
        },
      };
      const { id } = await queue.submit(task, null);
      const worker = startWorker({ tasks: [task], broker: flaky });
      await clock.advance(1);

      const stopped = worker.stop();
      await clock.advance('12s');
      isDown = false;
      await clock.advance('10s');
      await stopped;

      expect(await queue.get(id)).toMatchObject({ state: 'submitted', releases: 1, stalls: 0 });
    });
  });

  it('does not wait for the end of the delay after a failed wait for work', async () => {
    const { clock, broker, startWorker } = setScene();
    const touchy: Broker = {
      ...broker,
      wait: ({ signal }) =>
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

describe('whenIdle', () => {
  it('resolves when nothing waits, is scheduled or runs any more', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'slow', run: () => pass(clock, 2_000) });
    await queue.submitMany(task, Array(3).fill(null));
    await queue.submit(task, null, { delay: '10s' });
    const worker = startWorker({ tasks: [task], concurrency: 2 });

    let drainedAt: number | undefined;
    void worker.whenIdle().then(() => {
      drainedAt = clock.now();
    });
    await clock.advance('12s');
    await clock.advance('1s');

    expect(drainedAt).toBeGreaterThanOrEqual(12_000);
    expect(drainedAt).toBeLessThanOrEqual(12_020);
    expect((await queue.counts()).ended.completed).toBe(4);
  });

  it('resolves immediately when there is nothing to do', async () => {
    const { startWorker } = setScene();

    await startWorker({ tasks: [defineTask({ name: 'any', run: () => {} })] }).whenIdle();
  });

  it('ends with its worker and leaves no timer', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'stuck', onShutdown: 'release', run: untilStopped });
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });
    const drained = worker.whenIdle();
    await clock.advance('1s');

    await worker.stop();
    await drained;

    expect(clock.pendingTimers()).toBe(0);
  });
});
