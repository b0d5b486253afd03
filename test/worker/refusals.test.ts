import type { Broker, Settlement } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene, untilStopped } from './scene.ts';

/** Refuses every exchange that carries such a settlement; `undefined` keeps it. */
function refusing(broker: Broker, refuse: (settlement: Settlement) => Error | undefined): Broker {
  const exchange: Broker['exchange'] = (request) => {
    for (const settlement of request.settle ?? []) {
      const error = refuse(settlement);
      if (error !== undefined) return Promise.reject(error);
    }
    return broker.exchange(request);
  };
  return { ...broker, exchange };
}

const task = defineTask({ name: 'any', run: (result: unknown) => result });

describe('a settlement that the broker refuses for good', () => {
  it('becomes a dead letter with the error of the broker, and the others are kept', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const submitted = await queue.submitMany(task, ['good', 'bad', 'good']);
    const worker = startWorker({
      tasks: [task],
      broker: refusing(broker, ({ next }) =>
        next.result === '"bad"' ? new TypeError('invalid input syntax for type bigint') : undefined,
      ),
    });

    await clock.advance('1m');

    const [good, bad, other] = await Promise.all(submitted.map(({ id }) => queue.get(id)));
    expect([good?.state, bad?.state, other?.state]).toEqual(['completed', 'failed', 'completed']);
    expect(bad).toMatchObject({
      epoch: 1,
      failures: 1,
      errors: [{ epoch: 1, name: 'TypeError', message: 'invalid input syntax for type bigint' }],
    });
    expect(bad?.result).toBeUndefined();
    expect(bad?.errors[0]?.stack).toContain('TypeError');
    expect((await queue.deadLetters.list()).runs).toMatchObject([{ id: bad?.id }]);
    expect(worker.emittedOf('failed')).toMatchObject([{ id: bad?.id, reason: 'refused' }]);
    expect(worker.emittedOf('completed')).toHaveLength(2);
  });

  it('stores an error that any broker can store when the error itself is refused', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const failing = defineTask({
      name: 'failing',
      retry: { maxAttempts: 1 },
      run: () => Promise.reject(new Error('of the handler')),
    });
    const { id } = await queue.submit(failing, null);
    startWorker({
      tasks: [failing],
      broker: refusing(broker, ({ next }) =>
        next.errors.some(({ message }) => message === 'of the handler')
          ? new TypeError('unsupported \0 in half a \ud800 pair')
          : undefined,
      ),
    });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({
      state: 'failed',
      errors: [{ name: 'TypeError', message: 'unsupported \ufffd in half a \ufffd pair' }],
    });
  });

  it('whose dead letter is refused as well is reported, and its lease expires', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 'bad');
    const refuse = ({ event }: Settlement): Error | undefined =>
      event === 'stall' ? undefined : new TypeError('no');
    const worker = startWorker({ tasks: [task], broker: refusing(broker, refuse), lease: '9s' });
    await clock.advance('1s');

    const [, last] = worker.emittedOf('error');
    expect(last).toMatchObject({ doing: `settling run ${id}, epoch 1: its lease is left to expire` });
    expect(await queue.get(id)).toMatchObject({ state: 'started' });
    await clock.advance('14s');

    expect(worker.emittedOf('stalled')).toMatchObject([{ id, epoch: 1 }]);
  });

  it('of a cleaner is not sent again at each interval', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, null);
    const { id: other } = await queue.submit(task, null);
    await broker.exchange({
      claim: { worker: 'dead', requestId: 'r', limit: 2, lanes: new Map([['any@1', 2]]), leaseMs: 1_000 },
    });
    let refusals = 0;
    const refuse = (settlement: Settlement): Error | undefined => {
      if (settlement.id !== id) return undefined;
      refusals += 1;
      return new TypeError('no');
    };
    startWorker({ tasks: [task], broker: refusing(broker, refuse), lease: '9s', cleanerInterval: '2s' });
    await clock.advance('7s');
    const refusalsOfFirstPass = refusals;

    await clock.advance('10m');

    expect(refusalsOfFirstPass).toBeGreaterThan(0);
    expect(refusals).toBe(refusalsOfFirstPass);
    expect(await queue.get(other)).toMatchObject({ state: 'completed' });
  });

  it('is sent once more before it is given up, because an error may look permanent and not be', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 'fine');
    let left = 1;
    const refuse = (): Error | undefined => {
      left -= 1;
      return left >= 0 ? new TypeError('cannot read properties of undefined') : undefined;
    };
    startWorker({ tasks: [task], broker: refusing(broker, refuse) });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });

  it('does not prevent its worker from stopping', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const stuck = defineTask({ name: 'stuck', onShutdown: 'release', run: untilStopped });
    await queue.submitMany(stuck, [1, 2, 3]);
    const worker = startWorker({
      tasks: [stuck],
      broker: refusing(broker, () => new TypeError('no')),
      shutdownTimeout: '1h',
    });
    await clock.advance('1s');

    const stopped = worker.stop();
    await clock.advance('1ms');

    await stopped;
  });
});

describe('a broker that was closed before its worker stopped', () => {
  it('delays the stop of that worker only while its handlers run', async () => {
    const { clock, startWorker } = setScene();
    const broker = createMemoryBroker({ clock });
    await createQueue({ broker, clock }).submitMany(task, [1, 2, 3]);
    const worker = startWorker({ tasks: [task], broker, shutdownTimeout: '1h' });
    const busy = defineTask({ name: 'busy', run: () => pass(clock, 2_000) });
    const other = startWorker({ tasks: [busy], broker, shutdownTimeout: '1h' });
    await createQueue({ broker, clock }).submit(busy, null);
    await clock.advance('1s');
    await broker.close();
    await clock.advance('10s');

    const stopped = Promise.all([worker.stop(), other.stop()]);
    await clock.advance('1ms');

    await stopped;
  });
});

describe('a lane whose claims are refused', () => {
  it('does not block other lanes, and is tried again at growing intervals until it works', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const other = defineTask({ name: 'other', run: () => pass(clock, 100) });
    let isBroken = true;
    const refusedAt: number[] = [];
    const exchange: Broker['exchange'] = (request) => {
      const lanes = [...(request.claim?.lanes.keys() ?? [])];
      if (!isBroken || !lanes.includes('any@1')) return broker.exchange(request);
      if (lanes.length === 1) refusedAt.push(clock.now());
      return Promise.reject(new TypeError('index row size exceeds btree maximum'));
    };
    const { id } = await queue.submit(task, 'waits');
    await queue.submitMany(other, Array(200).fill(null));
    startWorker({ tasks: [task, other], broker: { ...broker, exchange }, concurrency: 10 });

    await clock.advance('1m');

    expect((await queue.counts()).ended.completed).toBe(200);
    expect(refusedAt.length).toBeGreaterThan(5);
    expect(refusedAt.length).toBeLessThan(60);
    isBroken = false;
    await clock.advance('6s');
    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });
});

describe('heartbeats that are refused', () => {
  it('are divided, so that the others keep their leases', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const stuck = defineTask({ name: 'stuck', run: untilStopped });
    const submitted = await queue.submitMany(stuck, Array(20).fill(null));
    const guilty = submitted[7]?.id;
    const beaten = new Set<string>();
    const heartbeat: Broker['heartbeat'] = (beats, leaseMs) => {
      if (leaseMs === 0) return broker.heartbeat(beats, leaseMs);
      if (beats.some(({ id }) => id === guilty)) return Promise.reject(new TypeError('no'));
      for (const { id } of beats) beaten.add(id);
      return broker.heartbeat(beats, leaseMs);
    };
    const worker = startWorker({
      tasks: [stuck],
      broker: { ...broker, heartbeat },
      concurrency: 20,
      lease: '9s',
    });

    await clock.advance('4s');

    expect(beaten.size).toBe(19);
    expect(worker.emittedOf('error')).toMatchObject([{ doing: 'heartbeating' }]);
  });

  it('are at most 1 000 a call', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const stuck = defineTask({ name: 'stuck', run: untilStopped });
    await queue.submitMany(stuck, Array(2_300).fill(null));
    const sizes: number[] = [];
    const heartbeat: Broker['heartbeat'] = (beats, leaseMs) => {
      if (leaseMs > 0) sizes.push(beats.length);
      return broker.heartbeat(beats, leaseMs);
    };
    startWorker({ tasks: [stuck], broker: { ...broker, heartbeat }, concurrency: 2_300, lease: '9s' });

    await clock.advance('4s');

    expect(sizes).toEqual([1_000, 1_000, 300]);
  });
});

describe('settlements of large results', () => {
  it('are sent in batches of about 8 MiB', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const large = defineTask({ name: 'large', run: () => pass(clock, 10).then(() => 'x'.repeat(1_000_000)) });
    const sizes: number[] = [];
    let isDown = false;
    const exchange: Broker['exchange'] = async (request) => {
      if (isDown) throw new Error('down');
      sizes.push((request.settle ?? []).reduce((sum, { next }) => sum + (next.result?.length ?? 0), 0));
      return broker.exchange(request);
    };
    await queue.submitMany(large, Array(40).fill(null));
    startWorker({ tasks: [large], broker: { ...broker, exchange }, concurrency: 40 });
    await clock.advance('9ms');
    isDown = true;
    await clock.advance('1s');
    isDown = false;

    await clock.advance('1m');

    expect((await queue.counts()).ended.completed).toBe(40);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8_388_608);
    expect(sizes.filter((size) => size > 0).length).toBeLessThanOrEqual(6);
  });
});
