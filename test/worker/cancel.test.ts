import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { never, pass, setScene } from './scene.ts';

const task = defineTask({ name: 'double', run: (number: number) => number * 2 });

describe('cancel', () => {
  it.each([
    ['waiting', {}],
    ['scheduled', { delay: '1m' as const }],
  ])('ends a %s run at once, which is then never started', async (_name, options) => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 1, options);

    const answer = await queue.cancel(id);
    const worker = startWorker({ tasks: [task] });
    await clock.advance('2m');

    expect(answer).toBe('cancelled');
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled', epoch: 0, completedAt: 0 });
    expect(worker.told).toEqual([]);
  });

  it('ends a run that waits for its next attempt', async () => {
    const { clock, queue, startWorker } = setScene();
    const run = vi.fn(() => Promise.reject(new Error('no')));
    const flaky = defineTask({
      name: 'flaky',
      retry: { backoff: { type: 'constant', base: '20s' }, jitter: 'none' },
      run,
    });
    const { id } = await queue.submit(flaky, null);
    startWorker({ tasks: [flaky] });
    await clock.advance('10s');

    expect(await queue.cancel(id)).toBe('cancelled');
    await clock.advance('1m');

    expect(run).toHaveBeenCalledTimes(1);
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled', failures: 1 });
  });

  it('aborts the handler of a running one within a heartbeat, and hears nothing of it any more', async () => {
    const { clock, queue, startWorker } = setScene();
    const aborted: { at: number; reason: unknown }[] = [];
    let finish = (): void => {};
    const long = defineTask({
      name: 'long',
      run: (_: null, { signal }) =>
        new Promise<string>((resolve) => {
          finish = () => resolve('late');
          signal.addEventListener('abort', () => aborted.push({ at: clock.now(), reason: signal.reason }));
        }),
    });
    const { id } = await queue.submit(long, null);
    const worker = startWorker({ tasks: [long], lease: '9s', concurrency: 1 });
    const { id: next } = await queue.submit(long, null);
    await clock.advance('4s');

    const answer = await queue.cancel(id);
    await clock.advance('3s');
    finish();
    await clock.advance('1s');

    expect(answer).toBe('requested');
    // Heartbeats come every third of the lease: at 3, 6 and 9 s.
    expect(aborted).toMatchObject([{ at: 6_000, reason: { name: 'CancelledError', code: 'CANCELLED' } }]);
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled', completedAt: 6_000, errors: [] });
    expect(worker.toldOf('cancelled')).toMatchObject([{ id, attempt: 1, epoch: 1 }]);
    expect(await queue.get(next)).toMatchObject({ startedAt: 6_000 });
  });

  it('comes before the next attempt when the running one fails before its worker hears', async () => {
    const { clock, queue, startWorker } = setScene();
    const run = vi.fn(() => pass(clock, 2_000).then(() => Promise.reject(new Error('no'))));
    const flaky = defineTask({ name: 'flaky', run });
    const { id } = await queue.submit(flaky, null);
    startWorker({ tasks: [flaky], lease: '9s' });
    await clock.advance('1s');

    await queue.cancel(id);
    await clock.advance('1m');

    expect(run).toHaveBeenCalledTimes(1);
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled', failures: 1 });
  });

  it('loses against a completion that comes first', async () => {
    const { clock, queue, startWorker } = setScene();
    const quick = defineTask({ name: 'quick', run: () => pass(clock, 2_000).then(() => 'done') });
    const { id } = await queue.submit(quick, null);
    startWorker({ tasks: [quick], lease: '9s' });
    await clock.advance('1s');

    expect(await queue.cancel(id)).toBe('requested');
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', result: '"done"' });
    expect(await queue.cancel(id)).toBe('ended');
  });

  it('of an id that nobody knows says gone', async () => {
    const { queue } = setScene();

    expect(await queue.cancel('nobody')).toBe('gone');
  });

  it('travels with the others of its turn', async () => {
    const { clock, broker } = setScene();
    const cancel = vi.fn(broker.cancel);
    const queue = createQueue({ broker: { ...broker, cancel }, clock });
    const submitted = await queue.submitMany(task, [1, 2, 3]);

    const answers = await Promise.all([
      ...submitted.map(({ id }) => queue.cancel(id)),
      queue.cancel('nobody'),
    ]);

    expect(answers).toEqual(['cancelled', 'cancelled', 'cancelled', 'gone']);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('reaches a run whose worker never hears: the handler goes on, the run is not lost', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const stuck = defineTask({ name: 'stuck', run: never });
    const deaf = {
      ...broker,
      heartbeat: () => Promise.reject(new Error('no route')),
      exchange: broker.exchange,
    };
    const { id } = await queue.submit(stuck, null);
    startWorker({ tasks: [stuck], broker: deaf, lease: '9s', concurrency: 1, cleanerInterval: '1d' });
    await clock.advance('1s');
    await queue.cancel(id);

    startWorker({ tasks: [stuck], lease: '9s', cleanerInterval: '3s' });
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'cancelled', stalls: 1, epoch: 1 });
  });
});
