import type { Broker } from '@retry/core/broker';
import type { HoldOptions } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene, untilStopped } from './scene.ts';

describe('the started event', () => {
  it('has no cause when the run is not late', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'prompt', run: () => {} });
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');
    await queue.submit(task, null);
    await clock.advance('1s');

    const [started] = worker.emittedOf('started');

    expect(started?.latenessMs).toBe(0);
    expect(started).not.toHaveProperty('lateBecause');
  });

  it('is no-slot when every slot of the worker was taken', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'slow', run: () => pass(clock, 5_000) });
    const worker = startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance('1s');
    await queue.submitMany(task, [null, null]);
    await clock.advance('1m');

    expect(worker.emittedOf('started')).toMatchObject([
      { latenessMs: 0 },
      { latenessMs: 5_000, lateBecause: 'no-slot' },
    ]);
  });

  it.each([
    ['no-slot', { concurrency: 1 }, {}, {}],
    ['no-slot', {}, { maxConcurrent: 1 }, {}],
    ['rate-limit', {}, { rateLimit: { limit: 1, window: '5s' } }, {}],
    ['rate-limit', {}, { globalRateLimit: { limit: 1, window: '5s' } }, {}],
    ['concurrency-key', {}, { globalConcurrency: 1 }, {}],
    ['concurrency-key', {}, {}, { concurrency: { key: 'account 7', limit: 1 } }],
  ] as const)(
    'is %s for a run that came while another one was in its way: %o %o %o',
    async (lateBecause, ofWorker, ofTask, ofSubmission) => {
      const { clock, queue, startWorker } = setScene();
      const task = defineTask({ name: 'slow', ...ofTask, run: () => pass(clock, 5_000) });
      const worker = startWorker({ tasks: [task], pollInterval: '1m', ...ofWorker });
      await clock.advance('1s');
      await queue.submit(task, null, ofSubmission);
      await clock.advance('1s');
      await queue.submit(task, null, ofSubmission);
      await clock.advance('1m');

      const second = worker.emittedOf('started')[1];
      expect(second).toMatchObject({ lateBecause });
      expect(second?.latenessMs).toBeGreaterThanOrEqual(4_000);
    },
  );

  it('is concurrency-key when another worker had a run of the key, and none was claimed meanwhile', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const task = defineTask({ name: 'keyed', run: () => pass(clock, 5_000) });
    const concurrency = { key: 'account 7', limit: 1 };
    startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance('1s');
    await queue.submit(task, null, { concurrency });
    await clock.advance('1s');
    let isClaiming = true;
    const other = startWorker({
      tasks: [task],
      pollInterval: '1m',
      broker: {
        ...broker,
        // Told only when there is something that it can claim.
        wait: async ({ timeoutMs }) => {
          isClaiming = false;
          await pass(clock, Math.min(timeoutMs, 4_100));
          isClaiming = true;
        },
      },
    });
    await clock.advance('100ms');
    expect(isClaiming).toBe(false);
    await queue.submit(task, null, { concurrency });
    await queue.submit(task, null, { concurrency: { key: 'account 8', limit: 1 } }); // for the first worker
    await clock.advance('1m');

    expect(other.emittedOf('started')[0]).toMatchObject({ lateBecause: 'concurrency-key' });
  });

  it('is no-slot when the slots of the task were taken, or the run was prefetched and waited for one', async () => {
    const { clock, queue, startWorker } = setScene();
    const narrow = defineTask({ name: 'narrow', maxConcurrent: 1, run: () => pass(clock, 5_000) });
    const worker = startWorker({ tasks: [narrow], concurrency: 4 });
    await clock.advance('1s');
    await queue.submitMany(narrow, [null, null]);
    await clock.advance('1m');
    expect(worker.emittedOf('started')).toMatchObject([{}, { latenessMs: 5_000, lateBecause: 'no-slot' }]);

    const short = defineTask({ name: 'short', run: () => pass(clock, 20) });
    const ahead = startWorker({ tasks: [short], concurrency: 1, prefetch: 10 });
    await clock.advance('1s');
    await queue.submitMany(short, [null, null, null, null]);
    await clock.advance('1m');
    expect(
      ahead.emittedOf('started').map(({ latenessMs, lateBecause }) => [latenessMs, lateBecause]),
    ).toEqual([
      [0, undefined],
      [20, 'no-slot'],
      [40, 'no-slot'],
      [60, 'no-slot'],
    ]);
  });

  it('is rate-limit when the rate limit of the task was reached', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'rated', rateLimit: { limit: 1, window: '10s' }, run: () => {} });
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');
    await queue.submitMany(task, [null, null]);
    await clock.advance('1m');

    expect(worker.emittedOf('started')).toMatchObject([
      { latenessMs: 0 },
      { latenessMs: 10_000, lateBecause: 'rate-limit' },
    ]);
  });

  it('is concurrency-key when runs of its key used all its slots, though others of its lane ran', async () => {
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

    expect(worker.emittedOf('started')).toMatchObject([
      { latenessMs: 0 },
      { latenessMs: 0 },
      { latenessMs: 5_000, lateBecause: 'concurrency-key' },
    ]);
  });

  it('is concurrency-key also when no slot was free before the run waited for its key', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'keyed', run: () => pass(clock, 1_200) });
    const concurrency = { key: 'account 7', limit: 1 };
    await queue.submit(task, null, { concurrency });
    await queue.submit(task, null, { concurrency });
    await clock.advance('1s');
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1m');

    expect(worker.emittedOf('started')).toMatchObject([
      { latenessMs: 1_000, lateBecause: 'no-slot' },
      { latenessMs: 2_200, lateBecause: 'concurrency-key' },
    ]);
  });

  it.each([
    ['rate-limit', { rateLimit: { limit: 1, window: '10s' } }],
    ['rate-limit', { globalRateLimit: { limit: 1, window: '10s' } }],
    ['concurrency-key', { globalConcurrency: 1 }],
    ['no-slot', { maxConcurrent: 1 }],
  ] as const)('is %s whatever time the broker takes to answer: %o', async (cause, limits) => {
    const { clock, broker, queue, startWorker } = setScene();
    const distant: Broker = {
      ...broker,
      exchange: async (exchange) => {
        const answer = await broker.exchange(exchange);
        await pass(clock, 5);
        return answer;
      },
    };
    const task = defineTask({ name: 'limited', ...limits, run: () => pass(clock, 1_000) });
    const worker = startWorker({ tasks: [task], broker: distant, pollInterval: '50ms' });
    await clock.advance('1s');
    await queue.submitMany(task, [null, null, null]);
    await clock.advance('1m');

    const causes = worker.emittedOf('started').map(({ lateBecause }) => lateBecause);
    expect(causes.slice(1)).toEqual([cause, cause]);
  });

  it('is poll when the run was found by the next poll', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const deaf: Broker = { ...broker, wait: ({ timeoutMs }) => pass(clock, timeoutMs) };
    const task = defineTask({ name: 'found', run: () => {} });
    const worker = startWorker({ tasks: [task], broker: deaf, pollInterval: '10s' });
    await clock.advance('4s');
    await queue.submit(task, null);
    await clock.advance('1m');

    expect(worker.emittedOf('started')).toMatchObject([{ latenessMs: 6_000, lateBecause: 'poll' }]);
  });

  it('is hold when its lane returned nothing though it was claimed from', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const holding: Broker = {
      ...broker,
      exchange: ({ claim, ...rest }) =>
        broker.exchange({ ...rest, ...(claim && clock.now() >= 60_000 && { claim }) }),
    };
    const task = defineTask({ name: 'held', run: () => {} });
    const worker = startWorker({ tasks: [task], broker: holding, pollInterval: '2s' });
    await clock.advance('3s');
    await queue.submit(task, null);
    await clock.advance('2m');

    expect(worker.emittedOf('started')).toMatchObject([{ lateBecause: 'hold' }]);
    expect(worker.emittedOf('started')[0]?.latenessMs).toBeGreaterThanOrEqual(57_000);
  });

  it('is hold when its handler had put the lane on hold, however short that was', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'paused',
      run: async (_: null, { epoch, hold, release }) => {
        if (epoch > 1) return;
        await hold({ for: '40ms' });
        release();
      },
    });
    const worker = startWorker({ tasks: [task], pollInterval: '5s' });
    await clock.advance('1s');
    await queue.submit(task, null);
    await clock.advance('1m');

    expect(worker.emittedOf('started')).toMatchObject([
      { latenessMs: 0 },
      { latenessMs: 40, lateBecause: 'hold' },
    ]);
  });

  it.each<[string, HoldOptions, number]>([
    ['of 150 ms', { for: '150ms' }, 150],
    ['of 2 s', { for: '2s' }, 2_000],
    ['that is resumed', {}, 2_000],
  ])(
    'is hold for a hold %s that was claimed from, for less than a poll interval',
    async (_name, options, latenessMs) => {
      const { clock, queue, startWorker } = setScene();
      const task = defineTask({ name: 'held', run: () => {} });
      await queue.hold(task, options);
      await queue.submit(task, null);
      await clock.advance('120ms');
      const worker = startWorker({ tasks: [task], pollInterval: '1m' });
      await clock.advance('1880ms');
      await queue.resume(task);
      await clock.advance('1m');

      expect(worker.emittedOf('started')).toMatchObject([{ latenessMs, lateBecause: 'hold' }]);
    },
  );

  it('is poll when a claim found nothing just before the run came, and another run was due later', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const deaf: Broker = { ...broker, wait: ({ timeoutMs }) => pass(clock, timeoutMs) };
    const task = defineTask({ name: 'found', run: () => {} });
    await queue.submit(task, null, { delay: '6s' });
    const worker = startWorker({ tasks: [task], broker: deaf, pollInterval: '10s' });
    await clock.advance('1s');
    await queue.submit(task, null);
    await clock.advance('1m');

    expect(
      worker.emittedOf('started').map(({ latenessMs, lateBecause }) => [latenessMs, lateBecause]),
    ).toEqual([
      [5_000, 'poll'],
      [0, undefined],
    ]);
  });

  it('is no-slot when no worker had begun to work', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'early', run: untilStopped, onShutdown: 'release' });
    await queue.submit(task, null);
    await clock.advance('7s');
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');

    expect(worker.emittedOf('started')).toMatchObject([{ latenessMs: 7_000, lateBecause: 'no-slot' }]);
  });
});
