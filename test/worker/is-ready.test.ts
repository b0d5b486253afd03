import { createMemoryBroker } from '@retry/inprocess/broker';
import { createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';

const task = defineTask({ name: 'mail', run: () => {} });

describe('worker.isReady', () => {
  it('is true from start to stop', async () => {
    await using broker = createMemoryBroker();
    const worker = createWorker({ broker, tasks: [task], signals: [] });
    const seen = [await worker.isReady()];

    worker.start();
    seen.push(await worker.isReady());
    const stopped = worker.stop();
    seen.push(await worker.isReady());
    await stopped;
    seen.push(await worker.isReady());

    expect(seen).toEqual([false, true, false, false]);
  });

  it('is false where the broker rejects', async () => {
    await using broker = createMemoryBroker();
    const down = { ...broker, notes: { ...broker.notes, read: () => Promise.reject(new Error('down')) } };
    await using worker = createWorker({ broker: down, tasks: [task], signals: [] });
    const errors: unknown[] = [];
    worker.on('error', (event) => errors.push(event));
    worker.start();

    expect(await worker.isReady()).toBe(false);
    await expect.poll(() => errors).toContainEqual({ error: new Error('down'), doing: 'firing schedules' });
  });

  it('is false where the broker has not answered after a second', async () => {
    await using broker = createMemoryBroker();
    const clock = createTestClock();
    const silent = { ...broker, notes: { ...broker.notes, read: () => new Promise<never>(() => {}) } };
    const worker = createWorker({ broker: silent, tasks: [task], signals: [], clock });
    worker.start();
    let answer: boolean | undefined;
    void worker.isReady().then((isReady) => {
      answer = isReady;
    });

    await clock.advance(999);
    expect(answer).toBeUndefined();
    await clock.advance(1);
    expect(answer).toBe(false);
    await worker.stop();
  });
});
