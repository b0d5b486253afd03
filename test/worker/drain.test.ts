import type { VirtualClock } from '@retry/core/testing';
import type { Broker, WorkerOptions } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { setScene, taking } from './scene.ts';

/** A worker that was not started. */
function createIdle(
  { clock, broker }: { readonly clock: VirtualClock; readonly broker: Broker },
  options: Partial<WorkerOptions> & Pick<WorkerOptions, 'tasks'>,
) {
  return createWorker({ broker, clock, signals: [], random: () => 0.5, name: 'batch', ...options });
}

const NONE = {
  ...{ started: 0, completed: 0, retried: 0, failed: 0, stalled: 0 },
  ...{ released: 0, cancelled: 0, limited: 0, fenced: 0 },
};

describe('worker.drain', () => {
  it('runs what is due, however much, and ends without waiting for what is due later', async () => {
    const scene = setScene();
    const { clock, queue } = scene;
    const task = defineTask({ name: 'any', run: taking(clock, 10) });
    await queue.submitMany(task, Array(2_345).fill(null));
    const later = await queue.submit(task, null, { delay: '1h' });
    await queue.submit(task, null, { delay: '2h' });
    const worker = createIdle(scene, { tasks: [task], concurrency: 100 });

    const drained = worker.drain();
    await clock.advance('10m');

    const at = await queue.get(later.id);
    expect(await drained).toEqual({
      ...{ ...NONE, started: 2_345, completed: 2_345 },
      ...{ endedBy: 'empty', nextRunAt: at?.runAt },
    });
    expect(await queue.counts()).toMatchObject({ scheduled: 2, submitted: 0, started: 0 });
    await worker.stopped;
  });

  it('says when a retried run is due, and counts how attempts ended', async () => {
    const scene = setScene();
    const { clock, queue } = scene;
    const failing = defineTask({
      name: 'failing',
      retry: { maxAttempts: 3, backoff: { type: 'constant', base: '1m' }, jitter: 'none' },
      run: () => Promise.reject(new Error('no')),
    });
    const fatal = defineTask({ name: 'fatal', retry: { maxAttempts: 1 }, run: failing.run });
    const { id } = await queue.submit(failing, null);
    await queue.submit(fatal, null);

    const drained = createIdle(scene, { tasks: [failing, fatal] }).drain();
    await clock.advance('1s');

    const report = await drained;
    expect(report).toMatchObject({ ...NONE, started: 2, retried: 1, failed: 1, endedBy: 'empty' });
    expect(report.nextRunAt).toBe((await queue.get(id))?.runAt);
  });

  it('has nothing to say about the next run where nothing is scheduled', async () => {
    const scene = setScene();
    const task = defineTask({ name: 'any', run: () => {} });

    const drained = createIdle(scene, { tasks: [task] }).drain();
    await scene.clock.advance('1s');

    expect(await drained).toEqual({ ...NONE, endedBy: 'empty' });
  });

  it.each([1, 7, 100])(
    'calls exactly maxRuns = %d handlers, and leaves the others in their lane',
    async (maxRuns) => {
      const scene = setScene();
      const { clock, queue } = scene;
      const run = vi.fn(taking(clock, 1));
      const task = defineTask({ name: 'any', run });
      await queue.submitMany(task, Array(300).fill(null));

      const drained = createIdle(scene, { tasks: [task], concurrency: 20 }).drain({ maxRuns });
      await clock.advance('1m');

      expect(await drained).toMatchObject({ started: maxRuns, completed: maxRuns, endedBy: 'maxRuns' });
      expect((await drained).nextRunAt).toBeLessThanOrEqual(clock.now());
      expect(run).toHaveBeenCalledTimes(maxRuns);
      expect(await queue.counts()).toMatchObject({ submitted: 300 - maxRuns, started: 0 });
    },
  );

  it.each(['maxMs', 'signal', 'stop'] as const)(
    'ends by %s: handlers finish, nothing more is claimed',
    async (by) => {
      const scene = setScene();
      const { clock, queue } = scene;
      const task = defineTask({ name: 'any', run: taking(clock, 3_000) });
      await queue.submitMany(task, Array(10).fill(null));
      const worker = createIdle(scene, { tasks: [task], concurrency: 2 });
      const controller = new AbortController();

      const drained = worker.drain(by === 'maxMs' ? { maxMs: 4_000 } : { signal: controller.signal });
      await clock.advance(4_000);
      if (by === 'signal') controller.abort();
      if (by === 'stop') void worker.stop();
      await clock.advance('1m');

      expect(await drained).toMatchObject({ ...NONE, started: 4, completed: 4, endedBy: by });
      expect(await queue.counts()).toMatchObject({ submitted: 6, started: 0 });
    },
  );

  it('claims nothing once its signal has aborted', async () => {
    const scene = setScene();
    const { clock, queue } = scene;
    const task = defineTask({ name: 'any', run: () => {} });
    await queue.submit(task, null);

    const drained = createIdle(scene, { tasks: [task] }).drain({ signal: AbortSignal.abort() });
    await clock.advance('1m');

    expect(await drained).toMatchObject({ started: 0, endedBy: 'signal' });
    expect(await queue.counts()).toMatchObject({ submitted: 1 });
  });

  it('does not wait for a rate limit, and says when that lets the next run start', async () => {
    const scene = setScene();
    const { clock, queue } = scene;
    const task = defineTask({ name: 'any', rateLimit: { limit: 3, window: '1m' }, run: () => {} });
    await queue.submitMany(task, Array(5).fill(null));

    const drained = createIdle(scene, { tasks: [task] }).drain();
    await clock.advance('1s');

    const report = await drained;
    expect(report).toMatchObject({ started: 3, completed: 3, endedBy: 'empty' });
    expect(report.nextRunAt).toBeGreaterThan(59_000);
    expect(report.nextRunAt).toBeLessThanOrEqual(60_000);
  });

  describe('where a worker that died has left a run, and there is no other worker', () => {
    const task = defineTask({
      name: 'any',
      retry: { backoff: { type: 'constant', base: 0 }, jitter: 'none' },
      run: () => {},
    });

    async function leaveRun() {
      const scene = setScene();
      const { clock, broker, queue } = scene;
      const { id } = await queue.submit(task, null);
      const lanes = new Map([[task.lane, 1]]);
      await broker.exchange({
        claim: { worker: 'dead', requestId: 'r', limit: 1, leaseMs: 1_000, lanes },
      });
      await clock.advance(2_000);
      return { scene, clock, broker, queue, id };
    }

    it('finishes it', async () => {
      const { scene, clock, queue, id } = await leaveRun();

      const drained = createIdle(scene, { tasks: [task], lease: '6s' }).drain();
      await clock.advance('20s');

      expect(await drained).toMatchObject({ stalled: 1, started: 1, completed: 1, endedBy: 'empty' });
      expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 1 });
    });

    it.each(['answers late', 'fails'] as const)('finishes it where the broker %s at first', async (what) => {
      const { clock, broker, queue, id } = await leaveRun();
      let isFirst = true;
      const atFirst = async (): Promise<void> => {
        if (!isFirst) return;
        isFirst = false;
        if (what === 'fails') throw new Error('busy');
        await new Promise<void>((resolve) => clock.setTimer(resolve, 1_500)); // half a heartbeat is 1 s
      };
      const busy: Broker = {
        ...broker,
        findExpired: async (...query) => {
          if (what === 'fails') await atFirst();
          return broker.findExpired(...query);
        },
        exchange: async (request) => {
          // It is asked for its clock.
          if (what === 'answers late' && request.claim === undefined && request.settle === undefined)
            await atFirst();
          return broker.exchange(request);
        },
      };

      const worker = createIdle({ clock, broker: busy }, { tasks: [task], lease: '6s' });
      const errors: unknown[] = [];
      worker.on('error', (event) => errors.push(event));
      const drained = worker.drain();
      await clock.advance('20s');

      expect(errors).toEqual(what === 'fails' ? [{ error: new Error('busy'), doing: 'cleaning' }] : []);

      expect(await drained).toMatchObject({ stalled: 1, started: 1, completed: 1, endedBy: 'empty' });
      expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 1 });
    });

    it('finishes it where its two looks at the same time do not see the same runs', async () => {
      const { clock, broker, queue, id } = await leaveRun();
      let [calls, looking] = [0, 0];
      const locking: Broker = {
        ...broker,
        // As Postgres does, which skips what another call has locked.
        findExpired: async (...query) => {
          calls += 1;
          looking += 1;
          const isAlone = looking === 1;
          const found = isAlone ? await broker.findExpired(...query) : [];
          const lookMs = calls === 1 ? 10 : 8;
          await new Promise<void>((resolve) => clock.setTimer(resolve, isAlone ? lookMs : 1));
          looking -= 1;
          return found;
        },
      };
      const options = { tasks: [task], lease: '6s', cleanerInterval: '1s' } as const;

      const drained = createIdle({ clock, broker: locking }, options).drain();
      await clock.advance('20s');

      expect(await drained).toMatchObject({ stalled: 1, started: 1, completed: 1, endedBy: 'empty' });
      expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 1 });
    });

    it('says that there is more to do where the broker never answers in time, after a lease', async () => {
      const { clock, broker } = await leaveRun();
      const busy: Broker = { ...broker, findExpired: () => Promise.reject(new Error('busy')) };
      const worker = createIdle({ clock, broker: busy }, { tasks: [task], lease: '6s' });
      worker.on('error', () => {});

      const drained = worker.drain();
      await clock.advance('20s');

      const { endedBy, nextRunAt } = await drained;
      expect(endedBy).toBe('empty');
      expect(nextRunAt).toBeGreaterThan(2_000 + 6_000);
      expect(nextRunAt).toBeLessThan(2_000 + 6_000 + 5_500);
    });
  });

  it('rejects with the error of a broker that could not serve meanwhile', async () => {
    const { clock, broker } = setScene();
    const refusal = new Error('no server');
    const down = { ...broker, ready: () => Promise.reject(refusal) };
    const worker = createIdle(
      { clock, broker: down },
      { tasks: [defineTask({ name: 'any', run: () => {} })] },
    );
    worker.on('error', () => {});

    const drained = worker.drain({ maxMs: 10_000 });
    const rejected = expect(drained).rejects.toBe(refusal);
    await clock.advance('20s');

    await rejected;
  });

  describe.each(['maxMs', 'signal'] as const)('ended by %s', (by) => {
    const never = () => new Promise<never>(() => {});
    const broken = new Error('broken');
    const failing = () => Promise.reject(broken);

    it.each<[string, (broker: Broker) => Partial<Broker>, unknown]>([
      ['is silent', () => ({ ready: never }), { code: 'NO_ANSWER' }],
      ['was ready and is silent', () => ({ exchange: never }), { code: 'NO_ANSWER' }],
      [
        'does not answer what its schedules are',
        ({ notes }) => ({ notes: { ...notes, read: never } }),
        { code: 'NO_ANSWER' },
      ],
      ['was ready and fails', () => ({ exchange: failing }), broken],
      ['fails, then is silent', onceThenSilent(broken), broken],
    ])('rejects where the broker %s', async (_, without, error) => {
      const { clock, broker } = setScene();
      const down = { ...broker, ...without(broker) };
      const worker = createIdle(
        { clock, broker: down },
        { tasks: [defineTask({ name: 'any', run: () => {} })] },
      );
      worker.on('error', () => {});
      const controller = new AbortController();

      const drained = worker.drain(by === 'maxMs' ? { maxMs: 3_000 } : { signal: controller.signal });
      const rejected = expect(drained).rejects.toMatchObject(error as object);
      await clock.advance('3s');
      controller.abort();
      await clock.advance('1m');

      await rejected;
    });
  });

  it('waits for no handler where the broker has answered nothing when its time is over', async () => {
    const { clock, broker } = setScene();
    const exchange = () => Promise.reject(new Error('no server'));
    const worker = createIdle(
      { clock, broker: { ...broker, exchange } },
      { tasks: [defineTask({ name: 'any', run: () => {} })] },
    );
    worker.on('error', () => {});

    let endedAt = Infinity;
    const drained = worker.drain({ maxMs: 3_000 }).catch(() => {
      endedAt = clock.now();
    });
    const startedAt = clock.now();
    await clock.advance('1m');

    await drained;
    expect(endedAt - startedAt).toBeLessThanOrEqual(3_000 + 2_000);
  });

  it('is refused after start, drain and stop, and start after it, with what to do', async () => {
    const scene = setScene();
    const tasks = [defineTask({ name: 'any', run: () => {} })];
    const started = createIdle(scene, { tasks });
    started.start();
    const draining = createIdle(scene, { tasks });
    const drained = draining.drain();

    const message = (does: string) =>
      `the worker batch ${does}: start() works until stop(), drain() once. Create another worker with createWorker.`;
    await expect(started.drain()).rejects.toMatchObject({
      code: 'WORKER_STARTED',
      message: message('works'),
    });
    const refused = { code: 'WORKER_STARTED', message: message('drains') };
    await expect(draining.drain()).rejects.toMatchObject(refused);
    expect(() => draining.start()).toThrow(expect.objectContaining(refused));
    await Promise.all([started.stop(), scene.clock.advance('1m')]);
    await drained;
    for (const ended of [started, draining])
      await expect(ended.drain()).rejects.toMatchObject({ code: 'WORKER_STOPPED' });
  });

  it('names every wrong option, and the worker may still be started', async () => {
    const scene = setScene();
    const worker = createIdle(scene, { tasks: [defineTask({ name: 'any', run: () => {} })] });

    const wrong = { maxRuns: 0, maxMs: 0, signal: 'no', limit: 5 };
    await expect(worker.drain(wrong as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      problems: [{ path: 'limit' }, { path: 'maxRuns' }, { path: 'maxMs' }, { path: 'signal' }],
    });
    worker.start();
    await Promise.all([worker.stop(), scene.clock.advance('1m')]);
  });

  it('lets a test wait for everything that it has submitted', async () => {
    const scene = setScene();
    const queue = createQueue({ broker: scene.broker, clock: scene.clock });
    const seen: number[] = [];
    const second = defineTask({ name: 'second', run: (n: number) => void seen.push(n) });
    const first = defineTask({
      name: 'first',
      run: async (n: number) => void (await queue.submit(second, n * 10)),
    });
    await queue.submitMany(first, [1, 2, 3]);

    const drained = createIdle(scene, { tasks: [first, second] }).drain();
    await scene.clock.advance('1s');

    expect((await drained).completed).toBe(6);
    expect(seen.sort((a, b) => a - b)).toEqual([10, 20, 30]);
  });
});

/** A broker whose `ready` rejects once, and then does not answer. */
function onceThenSilent(error: Error): () => Partial<Broker> {
  return () => {
    let calls = 0;
    const ready = (): Promise<void> => {
      calls += 1;
      return calls === 1 ? Promise.reject(error) : new Promise(() => {});
    };
    return { ready };
  };
}
