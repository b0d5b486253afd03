import type { Broker } from '@retry/core/broker';
import type { AnyTask, Worker } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { guardedBroker } from '../support/guarded-broker.ts';

const LEASE_MS = 600;

const workers: Worker[] = [];

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

function work(broker: Broker, task: AnyTask): Worker {
  const worker = createWorker({ broker, tasks: [task], lease: LEASE_MS, signals: [] });
  workers.push(worker);
  worker.on('error', () => {});
  worker.start();
  return worker;
}

/** A thread that starts on a busy machine takes a while. */
const poll = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 30_000 });

describe('a thread that ends whenever it is started', () => {
  const warnings = vi.spyOn(process, 'emitWarning');
  beforeEach(() => void warnings.mockReset().mockImplementation(() => {}));
  afterEach(() => void warnings.mockReset());
  afterAll(() => warnings.mockRestore());

  it('is given up after five times with one warning, and the loop keeps all leases', async () => {
    const { broker, count, crash } = guardedBroker();
    crash(1_000);
    let heartbeats = 0;
    const counted = {
      ...broker,
      heartbeat: async (...beats: Parameters<typeof broker.heartbeat>) => {
        heartbeats += 1;
        return broker.heartbeat(...beats);
      },
    };
    let finish = (): void => {};
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const task = defineTask({ name: 'long', run: () => isFinished });
    const both = [work(counted, task), work(counted, task)];
    const { id } = await createQueue({ broker }).submit(task, null);

    await poll(() => both.map(({ leaseRenewal }) => leaseRenewal)).toEqual(['loop', 'loop']);

    const before = heartbeats;
    await poll(() => heartbeats - before).toBeGreaterThan(12);
    finish();
    await poll(async () => (await broker.get([id]))[0]).toMatchObject({ state: 'completed', epoch: 1 });
    expect(count('opened')).toBeLessThanOrEqual(5 * both.length);
    expect(warnings.mock.calls.map(([message]) => message)).toEqual([
      'retry worker: a handler that blocks the event loop for longer than its lease (600 ms) loses it. The thread ended 5 times in a row: crashed.',
    ]);
  });
});
