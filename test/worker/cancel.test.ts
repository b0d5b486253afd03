import type { Broker, HeartbeatRequest } from '@retry/core/broker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { pass, setScene, untilStopped } from './scene.ts';

/** A broker of which its workers learn no cancel request at all. */
function mute(broker: Broker): Broker {
  const heartbeat: Broker['heartbeat'] = (leases, leaseMs) =>
    leaseMs === 0 ? Promise.reject(new Error('no route')) : broker.heartbeat(leases, leaseMs);
  return { ...broker, heartbeat };
}

const task = defineTask({ name: 'double', run: (number: number) => number * 2 });

describe('cancel', () => {
  it.each([
    ['waiting', {}],
    ['scheduled', { delay: '1m' as const }],
  ])('ends a %s run immediately, which is then never started', async (_name, options) => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 1, options);

    const answer = await queue.cancel(id);
    const worker = startWorker({ tasks: [task] });
    await clock.advance('2m');

    expect(answer).toBe('cancelled');
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled', epoch: 0, endedAt: 0 });
    expect(worker.emitted).toEqual([]);
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

  it('aborts the handler of a running one within a second, and ends it when that has returned, whatever it returns', async () => {
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
    expect(aborted).toMatchObject([{ at: 4_500, reason: { name: 'CancelledError', code: 'CANCELLED' } }]);
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled', endedAt: 7_000, errors: [] });
    expect(worker.emittedOf('cancelled')).toMatchObject([{ id, attempt: 1, epoch: 1 }]);
    expect(await queue.get(next)).toMatchObject({ startedAt: 7_000 });
  });

  it('takes effect before the next attempt when the running one fails before its worker receives it', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const run = vi.fn(() => pass(clock, 2_000).then(() => Promise.reject(new Error('no'))));
    const flaky = defineTask({ name: 'flaky', run });
    const { id } = await queue.submit(flaky, null);
    startWorker({ tasks: [flaky], broker: mute(broker), lease: '9s' });
    await clock.advance('1s');

    await queue.cancel(id);
    await clock.advance('1m');

    expect(run).toHaveBeenCalledTimes(1);
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled', failures: 1 });
  });

  it('loses against a completion that comes first', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const quick = defineTask({ name: 'quick', run: () => pass(clock, 2_000).then(() => 'done') });
    const { id } = await queue.submit(quick, null);
    startWorker({ tasks: [quick], broker: mute(broker), lease: '9s' });
    await clock.advance('1s');

    expect(await queue.cancel(id)).toBe('requested');
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', result: 'done' });
    expect(await queue.cancel(id)).toBe('ended');
  });

  it('answers gone for an unknown id', async () => {
    const { queue } = setScene();

    expect(await queue.cancel('unknown')).toBe('gone');
  });

  it('is sent in one call with the others of its turn', async () => {
    const { clock, broker } = setScene();
    const change = vi.fn(broker.change);
    const queue = createQueue({ broker: { ...broker, change }, clock });
    const submitted = await queue.submitMany(task, [1, 2, 3]);

    const answers = await Promise.all([
      ...submitted.map(({ id }) => queue.cancel(id)),
      queue.cancel('unknown'),
    ]);

    expect(answers).toEqual(['cancelled', 'cancelled', 'cancelled', 'gone']);
    expect(change).toHaveBeenCalledTimes(1);
  });

  it('is kept when the worker never receives it: the handler keeps running and the run is not lost', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const stuck = defineTask({ name: 'stuck', run: untilStopped });
    const deaf = {
      ...mute(broker),
      heartbeat: () => Promise.reject(new Error('no route')),
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

describe('cancel with a broker that does not notify', () => {
  const stuck = defineTask({ name: 'stuck', run: untilStopped });

  it.each([0, 1, 250, 499, 500, 501, 7_777, 60_000])(
    'reaches a handler within a second, %i ms after its start',
    async (afterMs) => {
      const { clock, broker, queue, startWorker } = setScene();
      const { id } = await queue.submit(stuck, null);
      startWorker({ tasks: [stuck], broker: broker });
      await clock.advance(afterMs);

      await queue.cancel(id);
      await clock.advance('1s');

      expect(await queue.get(id)).toMatchObject({ state: 'cancelled', epoch: 1 });
    },
  );

  it('asks about at most 1 000 leases a call, and about all of them', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const asked: (readonly HeartbeatRequest[])[] = [];
    const heartbeat: Broker['heartbeat'] = (leases, leaseMs) => {
      if (leaseMs === 0) asked.push(leases);
      return broker.heartbeat(leases, leaseMs);
    };
    await queue.submitMany(stuck, Array(2_100).fill(null));
    startWorker({ tasks: [stuck], broker: { ...broker, heartbeat }, concurrency: 2_100 });

    await clock.advance('600ms');

    expect(asked.map(({ length }) => length)).toEqual([1_000, 1_000, 100]);
    expect(new Set(asked.flat().map(({ id }) => id)).size).toBe(2_100);
  });

  it('does not ask while no handler runs, nor about handlers that have just started', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const heartbeat = vi.fn(broker.heartbeat);
    const quick = defineTask({ name: 'quick', run: () => pass(clock, 300) });
    startWorker({ tasks: [quick], broker: { ...broker, heartbeat } });
    for (let number = 0; number < 10; number += 1) {
      await queue.submit(quick, null);
      await clock.advance('400ms');
    }

    await clock.advance('1m');

    expect(heartbeat.mock.calls.filter(([_, leaseMs]) => leaseMs === 0)).toEqual([]);
  });

  it('keeps asking when a call fails, and reports the failure', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let left = 2;
    const heartbeat: Broker['heartbeat'] = (leases, leaseMs) => {
      if (leaseMs === 0) left -= 1;
      return leaseMs === 0 && left >= 0
        ? Promise.reject(new Error('no route'))
        : broker.heartbeat(leases, leaseMs);
    };
    const { id } = await queue.submit(stuck, null);
    const worker = startWorker({ tasks: [stuck], broker: { ...broker, heartbeat } });
    await clock.advance(1);
    await queue.cancel(id);

    await clock.advance('2s');

    expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual([
      'asking for cancel requests',
      'asking for cancel requests',
    ]);
    expect(await queue.get(id)).toMatchObject({ state: 'cancelled' });
  });

  it('leaves no timer behind once its worker has stopped', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const quick = defineTask({ name: 'quick', run: () => {} });
    await queue.submit(quick, null);
    const worker = startWorker({ tasks: [quick], broker: broker });
    await clock.advance(1);

    const stopped = worker.stop();
    await clock.advance(1);
    await stopped;

    expect(clock.pendingTimers()).toBe(0);
  });
});
