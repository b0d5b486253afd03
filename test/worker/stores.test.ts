import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { AnyTask } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';

const store = new AsyncLocalStorage<string>();

/** Rejects when the signal aborts, once the store that its listener sees has been noted. */
function untilAborted(signal: AbortSignal, seen: unknown[]): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      seen.push(store.getStore());
      reject(signal.reason);
    });
  });
}

/** A worker by the real clock: that of tests carries no store. */
function setUp() {
  const broker = createMemoryBroker();
  const seen: unknown[] = [];
  const start = (task: AnyTask) => {
    const worker = createWorker({ broker, tasks: [task], concurrency: 1, signals: [] });
    worker.start();
    return worker;
  };
  return { broker, queue: createQueue({ broker }), seen, start };
}

describe('the store of a handler', () => {
  it('is not seen where a heartbeat is missed after one that was sent there', async () => {
    const { queue, seen, start } = setUp();
    const task = defineTask({
      name: 'import',
      heartbeat: '50ms',
      run: (_: null, { heartbeat, signal }) => {
        const aborted = untilAborted(signal, seen);
        store.run('a handler', heartbeat);
        return aborted;
      },
    });
    await queue.submit(task, null);
    await using _worker = start(task);

    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 20_000 });

    expect(seen).toEqual([undefined]);
  });

  it('is not seen by runs that start while it is written what the attempt has cost', async () => {
    const { broker, queue, seen, start } = setUp();
    const reserve = broker.reserve.bind(broker);
    vi.spyOn(broker, 'reserve').mockImplementation(async (requests) => {
      await rest(100); // the next run comes meanwhile
      return reserve(requests);
    });
    const task = defineTask({
      name: 'prompt',
      globalRateLimit: { limit: 1_000, window: '1h', cost: () => 10 },
      retry: { attemptTimeout: '50ms' },
      run: async (isFirst: boolean, { signal, spend }) => {
        if (!isFirst) return untilAborted(signal, seen);
        await rest(1);
        store.run('a handler', () => spend(5));
      },
    });
    await queue.submitMany(task, [true, false]);
    await using _worker = start(task);

    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 20_000 });

    expect(seen).toEqual([undefined]);
  });
});
