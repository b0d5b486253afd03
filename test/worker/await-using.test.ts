import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { createBoard } from '@retry/board';
import { createRetryGroup, retry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';

describe('await using', () => {
  it('stops a worker, whose handlers finish first, and then closes its broker', async () => {
    const order: string[] = [];
    const task = defineTask({
      name: 'long',
      run: async () => {
        await rest(50);
        order.push('handled');
      },
    });
    let outer: { readonly stopped: Promise<void> } | undefined;
    let audit: () => Promise<unknown>;
    {
      await using broker = createMemoryBroker();
      audit = broker.audit;
      await using worker = createWorker({ broker, tasks: [task], signals: [] });
      outer = worker;
      worker.on('stopped', () => void order.push('stopped'));
      const started = new Promise<void>((resolve) => worker.on('started', () => resolve()));
      worker.start();
      await createQueue({ broker }).submit(task, undefined);
      await started;
      expect(order).toEqual([]);
    }
    await outer.stopped;

    expect(order).toEqual(['handled', 'stopped']);
    await expect(audit()).rejects.toMatchObject({ code: 'BROKER_CLOSED' });
  });

  it('stops a worker that was never started, and one that has stopped', async () => {
    const task = defineTask({ name: 'none', run: () => {} });
    const broker = createMemoryBroker();
    await using stopped = createWorker({ broker, tasks: [task], signals: [] });
    stopped.start();
    await stopped.stop();
    {
      await using idle = createWorker({ broker, tasks: [task], signals: [] });
      expect(idle.leaseRenewal).toBe('loop');
    }

    expect((await broker.audit()).unbalanced).toBe(0);
  });

  it('drains a group: a waiting call ends with its own error', async () => {
    const failing = vi.fn(() => Promise.reject(new Error('no')));
    let call: Promise<unknown>;
    {
      await using group = createRetryGroup();
      call = retry(failing, { backoff: { type: 'constant', base: '1h' }, maxDelay: '1h' }, { group });
      call.catch(() => {});
      await vi.waitFor(() => expect(group.waiting()).toHaveLength(1), { timeout: 20_000 });
    }

    await expect(call).rejects.toThrow('no');
    expect(failing).toHaveBeenCalledTimes(1);
  });

  it('closes a board', async () => {
    const broker = createMemoryBroker();
    const request = new Request('http://localhost/');
    let fetch: (request: Request) => Promise<Response>;
    {
      await using board = createBoard({ broker, token: randomUUID() });
      fetch = board.fetch;
      expect((await fetch(request)).status).not.toBe(503);
    }

    expect((await fetch(request)).status).toBe(503);
  });

  it('ends a copy by the method that the copy has', async () => {
    const close = vi.fn(async () => {});
    {
      await using broker = { ...createMemoryBroker(), close };
      await broker.audit();
    }

    expect(close).toHaveBeenCalledOnce();
  });
});
