import type { Broker } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { MANY_TURNS, never, pass, setScene } from './scene.ts';

const known = defineTask({ name: 'known', retry: { backoff: { type: 'none' } }, run: () => 'done' });
const unknown = defineTask({ name: 'unknown', run: () => 'done' });

/** Claims runs for a worker that then crashes. */
async function claimAndDie(broker: Broker, lane: string, count: number, leaseMs: number): Promise<void> {
  for (let left = count; left > 0; left -= 1_000) {
    const lanes = new Map([[lane, 1_000]]);
    const claim = { worker: 'dead', requestId: `${lane}-${left}`, limit: 1_000, lanes, leaseMs };
    await broker.exchange({ claim });
  }
}

describe('recovery', () => {
  it('of a known task takes a lease and an interval despite 5 000 expired runs of an unknown one', async () => {
    const { clock, broker, queue, startWorker } = setScene(0, MANY_TURNS);
    await queue.submitMany(unknown, Array(5_000).fill(null));
    await claimAndDie(broker, 'unknown@1', 5_000, 1_000);
    await clock.advance('1m');
    const { id } = await queue.submit(known, null);
    await claimAndDie(broker, 'known@1', 1, 9_000);

    startWorker({ tasks: [known], lease: '9s', cleanerInterval: '4s' });
    await clock.advance('13s');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 1 });
    expect((await queue.counts()).started).toBe(5_000);
  });

  it('settles every expired run page by page, without waiting for the next interval', async () => {
    const { clock, broker, queue, startWorker } = setScene(0, MANY_TURNS);
    await queue.submitMany(known, Array(3_500).fill(null));
    await claimAndDie(broker, 'known@1', 3_500, 1_000);

    startWorker({ tasks: [known], lease: '9s', cleanerInterval: '4s', concurrency: 100 });
    await clock.advance('6s');

    expect((await queue.counts()).ended.completed).toBe(3_500);
  });

  it('skips what other workers settle meanwhile, and ends', async () => {
    const { clock, broker, queue, startWorker } = setScene(0, MANY_TURNS);
    await queue.submitMany(known, Array(3).fill(null));
    await claimAndDie(broker, 'known@1', 3, 1_000);
    let calls = 0;
    // Always finds what is long settled.
    const found = new Map<string, Awaited<ReturnType<Broker['findExpired']>>>();
    const findExpired: Broker['findExpired'] = async (limit, scope) => {
      calls += 1;
      const expired = await broker.findExpired(limit, scope);
      if (expired.length > 0) found.set('first', expired);
      return found.get('first') ?? [];
    };
    startWorker({ tasks: [known], broker: { ...broker, findExpired }, lease: '9s', cleanerInterval: '4s' });

    await clock.advance('6s');

    // Before and after the time that living workers get to renew their leases, and once more when all are settled.
    expect(calls).toBe(3);
    expect((await queue.counts()).ended.completed).toBe(3);
  });
});

describe('the event stalled', () => {
  /** A broker whose first settlement of a stall is answered by an error: of the network before it arrives, or after it was written. */
  function losing(broker: Broker, clock: VirtualClock, { isWritten }: { isWritten: boolean }): Broker {
    let left = 1;
    return {
      ...broker,
      exchange: async (request) => {
        const isStall = request.settle?.some(({ event }) => event === 'stall') === true;
        if (!isStall || left === 0) return broker.exchange(request);
        left -= 1;
        if (isWritten) await broker.exchange(request);
        else await pass(clock, 100);
        throw new Error('the connection is closed');
      },
    };
  }

  it.each([
    ['the reply to its settlement is lost', { isWritten: true, workers: 1 }],
    [
      'another cleaner was faster than its settlement, which was sent again',
      { isWritten: false, workers: 3 },
    ],
  ])('is emitted once for each run when %s', async (_, { isWritten, workers }) => {
    const { clock, broker, queue, startWorker } = setScene(0, MANY_TURNS);
    const task = defineTask({ name: 'known', retry: { backoff: { type: 'none' } }, run: never });
    await queue.submitMany(task, Array(20).fill(null));
    await claimAndDie(broker, 'known@1', 20, 1_000);
    const unreliable = losing(broker, clock, { isWritten });
    const timing = { tasks: [task], lease: '9s', cleanerInterval: '6s' } as const;
    const actors = [startWorker({ ...timing, broker: unreliable })];
    for (let more = 1; more < workers; more += 1) {
      await clock.advance(10); // so that each records the stalls at an instant of its own
      actors.push(startWorker(timing));
    }

    await clock.advance('8s');

    expect(actors.flatMap(({ emittedOf }) => emittedOf('stalled'))).toHaveLength(20);
    expect(actors.flatMap(({ emittedOf }) => emittedOf('fenced'))).toEqual([]);
  });
});

describe("onUnknown: 'drop'", () => {
  it('drops what waits behind thousands of known runs', async () => {
    const { clock, queue, startWorker } = setScene(0, MANY_TURNS);
    await queue.submitMany(known, Array(3_000).fill(null), { delay: '1d' });
    const busy = defineTask({ name: 'busy', run: () => new Promise<never>(() => {}) });
    await queue.submitMany(busy, Array(3_000).fill(null));
    const { id } = await queue.submit(unknown, null);

    startWorker({ tasks: [known, busy], onUnknown: 'drop', cleanerInterval: '5s', concurrency: 1 });
    await clock.advance('11s');

    expect(await queue.get(id)).toMatchObject({ state: 'dropped' });
  });

  it('drops thousands of runs in one interval, including those that a crashed worker had claimed', async () => {
    const { clock, broker, queue, startWorker } = setScene(0, MANY_TURNS);
    await queue.submitMany(unknown, Array(5_000).fill(null));
    await claimAndDie(broker, 'unknown@1', 2_500, 1_000);

    startWorker({ tasks: [known], onUnknown: 'drop', cleanerInterval: '5s' });
    await clock.advance('11s');

    expect((await queue.counts()).ended.dropped).toBe(5_000);
  });

  it('is not stopped by a lane that cannot be claimed from', async () => {
    const { clock, broker, queue, startWorker } = setScene(0, MANY_TURNS);
    const other = defineTask({ name: 'other', run: () => {} });
    await queue.submit(other, null, { key: 'broken' });
    const { id } = await queue.submit(unknown, null);
    const exchange: Broker['exchange'] = (request) =>
      request.claim?.lanes.has('other@1') === true
        ? Promise.reject(new TypeError('no'))
        : broker.exchange(request);

    const worker = startWorker({
      tasks: [known],
      broker: { ...broker, exchange },
      onUnknown: 'drop',
      cleanerInterval: '5s',
    });
    await clock.advance('11s');

    expect(await queue.get(id)).toMatchObject({ state: 'dropped' });
    expect(worker.emittedOf('error')).toMatchObject([{ doing: 'dropping' }]);
  });
});
