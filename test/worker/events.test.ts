import { channel } from 'node:diagnostics_channel';
import type { WorkerEvents } from '@retry/worker';
import { createWorker, defineTask } from '@retry/worker';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { pass, setScene } from './scene.ts';

const task = defineTask({ name: 'double', run: (number: number) => number * 2 });

describe('started', () => {
  it('has how late the run is: its start minus the instant it was due', async () => {
    const { clock, queue, startWorker } = setScene();
    await queue.submit(task, 1, { key: 'due at 10 s', runAt: 10_000 });
    await queue.submit(task, 1, { key: 'due immediately' });
    await clock.advance('15s');

    const worker = startWorker({ tasks: [task] });
    await clock.advance(0);

    expect(worker.emittedOf('started')).toEqual([
      {
        id: 'double@due immediately',
        task: 'double',
        version: '1',
        attempt: 1,
        epoch: 1,
        latenessMs: 15_000,
        lateBecause: 'no-slot',
      },
      {
        id: 'double@due at 10 s',
        task: 'double',
        version: '1',
        attempt: 1,
        epoch: 1,
        latenessMs: 5_000,
        lateBecause: 'no-slot',
      },
    ]);
  });

  it('counts a retry from when it was due, not from the first attempt', async () => {
    const { clock, queue, startWorker } = setScene();
    const flaky = defineTask({
      name: 'flaky',
      retry: { backoff: { type: 'constant', base: '10s' }, jitter: 'none' },
      run: async (_: string, { attempt }) => {
        await pass(clock, 1_000);
        if (attempt === 1) throw new Error('no');
      },
    });
    await queue.submit(flaky, 'retried');
    const worker = startWorker({ tasks: [flaky], concurrency: 1 });
    await clock.advance('10500ms');
    await queue.submit(flaky, 'in the way');

    await clock.advance('1m');

    // Due at 11 s; the slot is free at 11.5 s.
    expect(worker.emittedOf('started')).toMatchObject([
      { attempt: 1, latenessMs: 0 },
      { attempt: 1, latenessMs: 0 },
      { attempt: 2, latenessMs: 500 },
      { attempt: 2, latenessMs: 0 },
    ]);
  });
});

describe('retried', () => {
  it('has one of two reasons, by its type', () => {
    expectTypeOf<WorkerEvents['retried']['reason']>().toEqualTypeOf<'expected' | 'asked'>();
  });
});

describe('completed', () => {
  it('has how long the attempt took', async () => {
    const { clock, queue, startWorker } = setScene();
    const slow = defineTask({ name: 'slow', run: () => pass(clock, 1_234) });
    await queue.submit(slow, null);
    const worker = startWorker({ tasks: [slow] });

    await clock.advance('5s');

    expect(worker.emittedOf('completed')).toMatchObject([{ durationMs: 1_234, retries: 0 }]);
  });

  it('is emitted once the broker has accepted it, and not before', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let isDown = false;
    const flaky = {
      ...broker,
      exchange: (request: Parameters<typeof broker.exchange>[0]) =>
        isDown ? Promise.reject(new Error('down')) : broker.exchange(request),
    };
    const slow = defineTask({ name: 'slow', run: () => pass(clock, 1_000) });
    await queue.submit(slow, null);
    const worker = startWorker({ tasks: [slow], broker: flaky });
    await clock.advance('500ms');
    isDown = true;

    await clock.advance('1s');
    expect(worker.emittedOf('completed')).toEqual([]);
    isDown = false;
    await clock.advance('10s');

    expect(worker.emittedOf('completed')).toHaveLength(1);
  });
});

describe('on', () => {
  it('returns a function that removes the listener', async () => {
    const { clock, queue, startWorker } = setScene();
    const worker = startWorker({ tasks: [task] });
    const seen: string[] = [];
    const forget = worker.on('started', ({ id }) => void seen.push(id));
    worker.on('started', ({ id }) => void seen.push(`${id} too`));

    await queue.submit(task, 1, { key: 'first' });
    await clock.advance(0);
    forget();
    await queue.submit(task, 1, { key: 'second' });
    await clock.advance(0);

    expect(seen).toEqual(['double@first', 'double@first too', 'double@second too']);
  });
});

describe('a listener', () => {
  const EVERY = ['started', 'completed', 'retried', 'failed', 'log', 'error'] as const;

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
    [
      'throws nothing readable',
      () => {
        throw undefined;
      },
    ],
  ])('that %s has no effect on the worker, also for error', async (_name, listener) => {
    const { clock, broker, queue } = setScene();
    const flaky = defineTask({
      name: 'flaky',
      retry: { maxAttempts: 2, backoff: { type: 'none' }, jitter: 'none' },
      run: (isDoomed: boolean, { attempt, log }) => {
        log('here');
        if (isDoomed || attempt === 1) throw new Error('no');
      },
    });
    const worker = createWorker({ broker, clock, tasks: [flaky], signals: [] });
    for (const type of EVERY) worker.on(type, listener as () => void);
    const errors: unknown[] = [];
    worker.on('error', ({ doing }) => void errors.push(doing));
    await queue.submitMany(flaky, [true, false]);

    worker.start();
    await clock.advance('1s');
    await worker.stop();

    expect(await queue.counts()).toMatchObject({ ended: { completed: 1, failed: 1 }, unbalanced: 0 });
    expect(new Set(errors)).toEqual(
      new Set(
        ['started', 'log', 'retried', 'completed', 'failed'].map((type) => `calling a listener of ${type}`),
      ),
    );
    // Four attempts start and speak, two are followed by another, one run completes and one fails.
    expect(errors).toHaveLength(12);
  });

  it('that throws does not prevent the others from being called', async () => {
    const { clock, queue, startWorker } = setScene();
    const worker = startWorker({ tasks: [task] });
    const seen: string[] = [];
    worker.on('started', () => {
      throw new Error('first');
    });
    worker.on('started', ({ id }) => void seen.push(id));
    const { id } = await queue.submit(task, 1);

    await clock.advance(0);

    expect(seen).toEqual([id]);
  });
});

describe('diagnostics_channel', () => {
  it('carries every event as retry:worker:<event>, the same object that listeners get', async () => {
    const { clock, queue, startWorker } = setScene();
    const types: (keyof WorkerEvents)[] = ['started', 'retried', 'completed', 'log'];
    const published: [string, unknown][] = [];
    const subscriptions = types.map((type) => {
      const listen = (event: unknown): void => void published.push([type, event]);
      channel(`retry:worker:${type}`).subscribe(listen);
      return () => channel(`retry:worker:${type}`).unsubscribe(listen);
    });
    const flaky = defineTask({
      name: 'flaky',
      retry: { backoff: { type: 'none' }, jitter: 'none' },
      run: (_: null, { attempt, log }) => (attempt === 1 ? Promise.reject(new Error('no')) : log('now')),
    });
    await queue.submit(flaky, null);
    const worker = startWorker({ tasks: [flaky] });

    await clock.advance('1s');
    for (const unsubscribe of subscriptions) unsubscribe();

    expect(published).toEqual(worker.emitted.map(({ type, ...event }) => [type, event]));
    expect(published.map(([type]) => type)).toEqual(['started', 'retried', 'started', 'log', 'completed']);
  });
});
