import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { never, pass, setScene } from './scene.ts';

describe('the started event', () => {
  it('gives no cause when the run is not late', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'prompt', run: () => {} });
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');
    await queue.submit(task, null);
    await clock.advance('1s');

    const [started] = worker.toldOf('started');

    expect(started?.latenessMs).toBe(0);
    expect(started).not.toHaveProperty('lateBecause');
  });

  it('says no-slot when every slot of the worker was taken', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'slow', run: () => pass(clock, 5_000) });
    const worker = startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance('1s');
    await queue.submitMany(task, [null, null]);
    await clock.advance('1m');

    expect(worker.toldOf('started')).toMatchObject([
      { latenessMs: 0 },
      { latenessMs: 5_000, lateBecause: 'no-slot' },
    ]);
  });

  it('says no-slot when the slots of the task were taken, or the run was prefetched and waited for one', async () => {
    const { clock, queue, startWorker } = setScene();
    const narrow = defineTask({ name: 'narrow', maxConcurrent: 1, run: () => pass(clock, 5_000) });
    const worker = startWorker({ tasks: [narrow], concurrency: 4 });
    await clock.advance('1s');
    await queue.submitMany(narrow, [null, null]);
    await clock.advance('1m');
    expect(worker.toldOf('started')).toMatchObject([{}, { latenessMs: 5_000, lateBecause: 'no-slot' }]);

    const short = defineTask({ name: 'short', run: () => pass(clock, 20) });
    const ahead = startWorker({ tasks: [short], concurrency: 1, prefetch: 10 });
    await clock.advance('1s');
    await queue.submitMany(short, [null, null, null, null]);
    await clock.advance('1m');
    expect(ahead.toldOf('started').map(({ latenessMs, lateBecause }) => [latenessMs, lateBecause])).toEqual([
      [0, undefined],
      [20, 'no-slot'],
      [40, 'no-slot'],
      [60, 'no-slot'],
    ]);
  });

  it('says rate-limit when the rate limit of the task was reached', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'rated', rateLimit: { limit: 1, window: '10s' }, run: () => {} });
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');
    await queue.submitMany(task, [null, null]);
    await clock.advance('1m');

    expect(worker.toldOf('started')).toMatchObject([
      { latenessMs: 0 },
      { latenessMs: 10_000, lateBecause: 'rate-limit' },
    ]);
  });

  it('says concurrency-key when runs of its key took all starts, though others of its lane went on', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'keyed', run: () => pass(clock, 5_000) });
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');
    const concurrency = { key: 'account 7', limit: 1 };
    await queue.submit(task, null, { concurrency });
    await queue.submit(task, null, { concurrency });
    await clock.advance('1s');
    await queue.submit(task, null);
    await clock.advance('1m');

    expect(worker.toldOf('started')).toMatchObject([
      { latenessMs: 0 },
      { latenessMs: 0 },
      { latenessMs: 5_000, lateBecause: 'concurrency-key' },
    ]);
  });

  it('says poll when the run was found by the next look', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const deaf: Broker = { ...broker, waitForWork: (_lanes, { timeoutMs }) => pass(clock, timeoutMs) };
    const task = defineTask({ name: 'found', run: () => {} });
    const worker = startWorker({ tasks: [task], broker: deaf, pollInterval: '10s' });
    await clock.advance('4s');
    await queue.submit(task, null);
    await clock.advance('1m');

    expect(worker.toldOf('started')).toMatchObject([{ latenessMs: 6_000, lateBecause: 'poll' }]);
  });

  it('says hold when its lane gave nothing though it was looked into', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const holding: Broker = {
      ...broker,
      settleAndClaim: ({ claim, ...rest }) =>
        broker.settleAndClaim({ ...rest, ...(claim && clock.now() >= 60_000 && { claim }) }),
    };
    const task = defineTask({ name: 'held', run: () => {} });
    const worker = startWorker({ tasks: [task], broker: holding, pollInterval: '2s' });
    await clock.advance('3s');
    await queue.submit(task, null);
    await clock.advance('2m');

    expect(worker.toldOf('started')).toMatchObject([{ lateBecause: 'hold' }]);
    expect(worker.toldOf('started')[0]?.latenessMs).toBeGreaterThanOrEqual(57_000);
  });

  it('says no-slot when no worker had begun to work', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'early', run: never, onShutdown: 'release' });
    await queue.submit(task, null);
    await clock.advance('7s');
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');

    expect(worker.toldOf('started')).toMatchObject([{ latenessMs: 7_000, lateBecause: 'no-slot' }]);
  });
});
