import type { Broker, SettleAnswer } from '@retry/core/broker';
import { network } from '@retry/core/errors';
import type { AnyTask, TaskContext } from '@retry/worker';
import { defineTask, StalledError } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { never, pass, setScene, untilStopped } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '10s' }, jitter: 'none' } as const;

describe('a handler that stops sending heartbeats', () => {
  it('is stalled, charged and retried, though retryOn lists others', async () => {
    const { clock, queue, startWorker } = setScene();
    const reasons: unknown[] = [];
    const task = defineTask({
      name: 'silent',
      heartbeat: '5s',
      retry: { ...STEADY, maxAttempts: 2, retryOn: [TypeError] },
      run: (_: null, ctx) => {
        if (ctx.attempt === 2) return 'done';
        ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason));
        return untilStopped(_, ctx);
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(reasons).toEqual([new StalledError('the handler sent no heartbeat for 5000 ms')]);
    expect(await queue.get(id)).toMatchObject({
      state: 'completed',
      failures: 0,
      stalls: 1,
      startedAt: 15_000,
      errors: [{ epoch: 1, at: 5_000, name: 'StalledError' }],
    });
    expect(worker.emittedOf('stalled')).toMatchObject([{ id, attempt: 1, next: 'scheduled' }]);
    expect(worker.emittedOf('completed')).toMatchObject([{ attempt: 2, retries: 1 }]);
  });

  it.each([
    ['retry', 'completed'],
    ['fail', 'failed'],
    ['hold', 'stalled'],
  ] as const)('follows onStall, whatever idempotent of its policy says: %s', async (onStall, state) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'silent',
      heartbeat: '5s',
      onStall,
      retry: { ...STEADY, maxAttempts: 2, retryOn: [...network], idempotent: false },
      run: (_: null, ctx) => (ctx.attempt === 2 ? 'done' : untilStopped(_, ctx)),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state, stalls: 1 });
  });

  it('lets decorrelated backoff grow, as a failure does', async () => {
    const { clock, queue, startWorker } = setScene();
    const startedAt: number[] = [];
    const task = defineTask({
      name: 'silent',
      heartbeat: '5s',
      retry: { maxAttempts: 4, backoff: { type: 'decorrelated', base: '1s' } },
      run: (_: null, ctx) => {
        startedAt.push(clock.now());
        return untilStopped(_, ctx);
      },
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    // After 2 s, 3.5 s and 5.75 s: halfway from the base to three times the delay before.
    expect(startedAt).toEqual([0, 7_000, 15_500, 26_250]);
  });

  it('keeps running as long as it sends heartbeats', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'beating',
      heartbeat: '5s',
      run: async (_: null, { heartbeat }) => {
        for (let beat = 0; beat < 10; beat += 1) {
          await pass(clock, 4_999);
          heartbeat();
        }
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('2m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 0, endedAt: 49_990 });
  });

  it('is never stalled when its task has no heartbeat interval', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'quiet', run: () => pass(clock, 3_600_000) });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('2h');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 1, stalls: 0 });
  });

  it('may send heartbeats after its end without effect', async () => {
    const { clock, queue, startWorker } = setScene();
    let beat = (): void => {};
    const task = defineTask({
      name: 'late',
      heartbeat: '5s',
      run: (_: null, { heartbeat }) => {
        beat = heartbeat;
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');

    beat();
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 1 });
    expect(worker.emitted.map(({ type }) => type)).toEqual(['started', 'completed']);
  });

  it.each<[AnyTask['onStall'], object]>([
    ['fail', { state: 'failed', epoch: 1, stalls: 1, failures: 0 }],
    ['hold', { state: 'stalled', epoch: 1, stalls: 1, failures: 0 }],
  ])('follows onStall %s', async (onStall, expected) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'silent', heartbeat: '5s', onStall, run: untilStopped });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(await queue.get(id)).toMatchObject({ ...expected, errors: [{ name: 'StalledError' }] });
  });

  it('is emitted as failed, too, when the stall ends its run', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'silent', heartbeat: '5s', onStall: 'fail', run: untilStopped });
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(worker.emittedOf('stalled')).toMatchObject([{ next: 'failed' }]);
    expect(worker.emittedOf('failed')).toMatchObject([
      { reason: 'stalled', error: { name: 'StalledError' } },
    ]);
  });

  it('is given up after maxStalls, whatever maxAttempts allows', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'silent',
      heartbeat: '1s',
      maxStalls: 2,
      retry: { maxAttempts: 100, backoff: { type: 'none' }, jitter: 'none' },
      run: untilStopped,
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', epoch: 3, stalls: 3 });
  });

  it('counts its stalls and failures against maxAttempts together', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'silent',
      heartbeat: '1s',
      retry: { maxAttempts: 2, backoff: { type: 'none' }, jitter: 'none' },
      run: (_: null, ctx) => (ctx.attempt === 1 ? Promise.reject(new Error('no')) : untilStopped(_, ctx)),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', epoch: 2, failures: 1, stalls: 1 });
  });

  it('is retried although retryIf refuses', async () => {
    const { clock, queue, startWorker } = setScene();
    const names: string[] = [];
    const task = defineTask({
      name: 'silent',
      heartbeat: '1s',
      retry: { ...STEADY, retryIf: (error) => names.push((error as Error).name) > 0 },
      run: (_: null, ctx) => (ctx.attempt === 1 ? untilStopped(_, ctx) : 'done'),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 1 });
    expect(names).toEqual(['StalledError']);
  });
});

describe('a worker that crashes', () => {
  /** The broker as a worker sees it until it loses its power: then nothing it says arrives, nor does an answer. */
  const powered = (broker: Broker): { readonly broker: Broker; cut: () => void } => {
    let isCut = false;
    const whilePowered = <Args extends unknown[], Answer>(verb: (...args: Args) => Promise<Answer>) => {
      return (...args: Args): Promise<Answer> => (isCut ? never() : verb(...args));
    };
    return {
      broker: {
        ...broker,
        exchange: whilePowered(broker.exchange),
        heartbeat: whilePowered(broker.heartbeat),
        findExpired: whilePowered(broker.findExpired),
      },
      cut: () => {
        isCut = true;
      },
    };
  };

  const longTask = ({ clock }: Scene, started: unknown[]) =>
    defineTask({
      name: 'long',
      retry: { ...STEADY, backoff: { type: 'none' } },
      run: async (_: null, { epoch }: TaskContext) => {
        started.push({ epoch, at: clock.now() });
        if (epoch === 1) await pass(clock, 40_000);
        return epoch;
      },
    });

  it('loses its runs to another one within its lease and a cleaner interval', async () => {
    const scene = setScene();
    const { clock, queue, broker, startWorker } = scene;
    const started: { epoch: number; at: number }[] = [];
    const task = longTask(scene, started);
    const power = powered(broker);
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: power.broker, lease: '9s', cleanerInterval: '4s' });
    await clock.advance('10s');
    power.cut();
    const rescuer = startWorker({ tasks: [task], lease: '9s', cleanerInterval: '4s' });

    // The last heartbeat was at 9 s, so that the lease ended at 18 s.
    await clock.advance('20s');

    expect(started).toEqual([
      { epoch: 1, at: 0 },
      { epoch: 2, at: 18_000 },
    ]);
    expect(await queue.get(id)).toMatchObject({
      state: 'completed',
      result: 2,
      stalls: 1,
      errors: [{ epoch: 1, name: 'StalledError', message: 'the worker stopped sending heartbeats' }],
    });
    expect(rescuer.emittedOf('stalled')).toMatchObject([{ id, epoch: 1, next: 'submitted' }]);
  });

  it('has no effect when it comes back: its outcome is fenced and reported as that', async () => {
    const scene = setScene();
    const { clock, queue, broker, startWorker } = scene;
    const task = longTask(scene, []);
    const deaf: Broker = { ...broker, heartbeat: () => Promise.reject(new Error('no route')) };
    const { id } = await queue.submit(task, null);
    const zombie = startWorker({ tasks: [task], broker: deaf, lease: '9s', concurrency: 1 });
    await clock.advance('1s');
    startWorker({ tasks: [task], lease: '9s', cleanerInterval: '4s' });

    await clock.advance('1m');

    expect(zombie.emittedOf('fenced')).toEqual([
      { id, task: 'long', version: '1', attempt: 1, epoch: 1, answer: 'fenced' },
    ]);
    expect(zombie.emittedOf('completed')).toEqual([]);
    expect(await queue.get(id)).toMatchObject({ state: 'completed', result: 2, epoch: 2 });
  });

  it('has its handler stopped when a heartbeat is answered that the lease is lost', async () => {
    const scene = setScene();
    const { clock, queue, broker, startWorker } = scene;
    let isDeaf = true;
    const deaf: Broker = {
      ...broker,
      heartbeat: (beats, leaseMs) =>
        isDeaf ? Promise.reject(new Error('no route')) : broker.heartbeat(beats, leaseMs),
    };
    const reasons: unknown[] = [];
    const task = defineTask({
      name: 'long',
      retry: { backoff: { type: 'none' } },
      run: (_: null, { epoch, signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        return epoch === 1 ? never() : pass(clock, 20_000);
      },
    });
    const { id } = await queue.submit(task, null);
    const zombie = startWorker({ tasks: [task], broker: deaf, lease: '9s', concurrency: 1 });
    await clock.advance('1s');
    startWorker({ tasks: [task], lease: '9s', cleanerInterval: '4s' });
    await clock.advance('15s');
    isDeaf = false;

    await clock.advance('1m');

    expect(reasons).toMatchObject([{ name: 'LeaseLostError' }]);
    expect(zombie.emittedOf('fenced')).toMatchObject([{ id, epoch: 1, answer: 'fenced' }]);
    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 2, stalls: 1 });
  });

  it('keeps its lease as long as it sends heartbeats, however long its handler runs', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = longTask(scene, []);
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], lease: '3s', cleanerInterval: '1s' });
    startWorker({ tasks: [task], lease: '3s', cleanerInterval: '1s' });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', result: 1, stalls: 0 });
  });

  it('keeps its lease while only its exchanges wait, as for a connection of a pool that handlers have taken', async () => {
    const scene = setScene();
    const { clock, queue, broker, startWorker } = scene;
    const task = longTask(scene, []);
    let isTaken = false;
    let [waiting, most] = [0, 0];
    const pooled: Broker = {
      ...broker,
      exchange: async (request) => {
        waiting += 1;
        most = Math.max(most, waiting);
        while (isTaken) await pass(clock, 100);
        waiting -= 1;
        return broker.exchange(request);
      },
    };
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: pooled, lease: '3s', concurrency: 1 });
    await clock.advance(1);
    isTaken = true;
    startWorker({ tasks: [task], lease: '3s', cleanerInterval: '1s' });

    await clock.advance('1m');
    isTaken = false;
    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', result: 1, stalls: 0 });
    expect(most).toBe(2); // its settlement, and one call that asks whether the server answers
  });

  it('that only seemed to, and sends heartbeats again before it is settled, keeps its runs', async () => {
    const scene = setScene();
    const { clock, queue, broker, startWorker } = scene;
    const task = longTask(scene, []);
    const hoarse: Broker = {
      ...broker,
      heartbeat: (beats, leaseMs) =>
        clock.now() < 10_000 ? Promise.reject(new Error('no route')) : broker.heartbeat(beats, leaseMs),
    };
    const answers: SettleAnswer[] = [];
    const slow: Broker = {
      ...broker,
      findExpired: async (limit) => {
        const expired = await broker.findExpired(limit);
        await pass(clock, 3_000);
        return expired;
      },
      exchange: async (request) => {
        const reply = await broker.exchange(request);
        answers.push(...reply.settled);
        return reply;
      },
    };
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: hoarse, lease: '9s', concurrency: 1 });
    await clock.advance(1);
    const cleaner = startWorker({ tasks: [task], broker: slow, lease: '9s', cleanerInterval: '10s' });

    // Its lease ends at 9 s; the cleaner sees that at 10 s, and settles at 13 s. It sends a heartbeat within a second after 10 s.
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', result: 1, stalls: 0 });
    expect(answers).toEqual(['fenced']);
    expect(cleaner.emitted).toEqual([]);
  });

  it('is reported once, however many cleaners find it', async () => {
    const scene = setScene();
    const { clock, queue, broker, startWorker } = scene;
    const task = longTask(scene, []);
    let isDown = false;
    const flaky: Broker = {
      ...broker,
      exchange: (request) => (isDown ? Promise.reject(new Error('down')) : broker.exchange(request)),
    };
    const power = powered(broker);
    await queue.submit(task, null);
    startWorker({ tasks: [task], broker: power.broker, lease: '9s' });
    await clock.advance('1s');
    power.cut();
    const rescuer = startWorker({ tasks: [task], broker: flaky, lease: '9s', cleanerInterval: '2s' });
    await clock.advance('1s');
    isDown = true;
    await clock.advance('30s');
    isDown = false;

    await clock.advance('1m');

    expect(rescuer.emittedOf('stalled')).toHaveLength(1);
  });

  it('is reported by one cleaner only, though two settle it at the same time', async () => {
    const scene = setScene();
    const { clock, queue, broker, startWorker } = scene;
    const retry = { ...STEADY, backoff: { type: 'constant', base: '5m' } } as const;
    const task = defineTask({ name: 'long', retry, run: untilStopped });
    const power = powered(broker);
    await queue.submit(task, null);
    startWorker({ tasks: [task], broker: power.broker, lease: '9s' });
    await clock.advance('1s');
    power.cut();
    // Both have searched before either has settled what it found.
    const findExpired: Broker['findExpired'] = async (limit) => {
      const found = await broker.findExpired(limit);
      await pass(clock, 10);
      return found;
    };
    const options = {
      tasks: [task],
      broker: { ...broker, findExpired },
      lease: '9s',
      cleanerInterval: '2s',
    } as const;
    const cleaners = [startWorker(options), startWorker(options)];

    await clock.advance('30s');

    expect(cleaners.flatMap((cleaner) => cleaner.emittedOf('stalled'))).toHaveLength(1);
  });

  it('leaves runs to the workers that know their tasks', async () => {
    const scene = setScene();
    const { clock, queue, broker, startWorker } = scene;
    const task = longTask(scene, []);
    const other = defineTask({ name: 'other', run: () => {} });
    const power = powered(broker);
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: power.broker, lease: '9s' });
    await clock.advance('1s');
    power.cut();
    startWorker({ tasks: [other], lease: '9s' });
    await clock.advance('1m');
    expect(await queue.get(id)).toMatchObject({ state: 'started', epoch: 1 });

    startWorker({ tasks: [task], lease: '9s' });
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 2, stalls: 1 });
  });
});
