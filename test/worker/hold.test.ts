import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { pass, setScene } from './scene.ts';

/** A task that notes when its runs start. */
function notedTask({ clock }: Scene, name = 'noted') {
  const startedAt: number[] = [];
  const task = defineTask({ name, run: (_: unknown) => void startedAt.push(clock.now()) });
  return { task, startedAt };
}

/** The broker, and how often a worker claims and waits. */
function counted(broker: Broker): { readonly broker: Broker; readonly calls: () => number } {
  let calls = 0;
  const settleAndClaim: Broker['settleAndClaim'] = (request) => {
    calls += 1;
    return broker.settleAndClaim(request);
  };
  const waitForWork: Broker['waitForWork'] = (lanes, wait) => {
    calls += 1;
    return broker.waitForWork(lanes, wait);
  };
  return { broker: { ...broker, settleAndClaim, waitForWork }, calls: () => calls };
}

describe('queue.hold', () => {
  it('starts no run of the task until the time is over, and lets running ones end', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const ended: string[] = [];
    const task = defineTask({
      name: 'slow',
      run: async (name: string) => {
        await pass(clock, 10_000);
        ended.push(`${name} at ${clock.now()}`);
      },
    });
    await queue.submit(task, 'running');
    startWorker({ tasks: [task] });
    await clock.advance('1s');

    await queue.hold(task, { for: '1m', reason: 'the bank is closed', by: 'ada' });
    const { id } = await queue.submit(task, 'waiting');
    await clock.advance('30s');

    expect(ended).toEqual(['running at 10000']);
    expect(await queue.get(id)).toMatchObject({ state: 'submitted', epoch: 0 });
    expect(await queue.holds()).toEqual([
      {
        lane: 'slow@1',
        source: 'operator',
        reason: 'the bank is closed',
        by: 'ada',
        heldAt: 1_000,
        until: 61_000,
      },
    ]);
    await clock.advance('2m');
    expect(ended).toEqual(['running at 10000', 'waiting at 71000']);
    expect(await queue.holds()).toEqual([]);
  });

  it('lasts until it is resumed without a time, and leaves other lanes alone', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const held = notedTask(scene, 'held');
    const free = notedTask(scene, 'free');
    await queue.hold(held.task);
    await queue.submit(held.task, null);
    await queue.submit(free.task, null);
    startWorker({ tasks: [held.task, free.task], pollInterval: '10h' });

    await clock.advance('3h');
    expect([held.startedAt, free.startedAt]).toEqual([[], [0]]);
    expect(await queue.resume(held.task)).toBe('resumed');
    await clock.advance('1s');

    expect(held.startedAt).toEqual([10_800_000]);
    expect(await queue.resume(held.task)).toBe('none');
  });

  it('of all lanes holds those that no one has named, until they are resumed together', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const [first, second] = [notedTask(scene, 'first'), notedTask(scene, 'second')];
    await queue.hold({ all: true }, { reason: 'maintenance' });
    await queue.submit(first.task, null);
    await queue.submit(second.task, null);
    startWorker({ tasks: [first.task, second.task], pollInterval: '10h' });

    await clock.advance('1h');
    expect(await queue.resume(first.task)).toBe('none');
    expect([...first.startedAt, ...second.startedAt]).toEqual([]);
    expect(await queue.resume({ all: true })).toBe('resumed');
    await clock.advance('1s');

    expect([first.startedAt, second.startedAt]).toEqual([[3_600_000], [3_600_000]]);
  });

  it('ends at the later of until and for, and a second one replaces the first', async () => {
    const { clock, queue } = setScene();
    const task = defineTask({ name: 'held', run: () => {} });

    await queue.hold(task, { until: 90_000, for: '1m' });
    expect(await queue.holds()).toMatchObject([{ until: 90_000 }]);
    await queue.hold(task, { for: '10s' });

    expect(await queue.holds()).toMatchObject([{ until: 10_000 }]);
    await clock.advance('10s');
    expect(await queue.holds()).toEqual([]);
  });

  it('lets the worker sleep: it neither claims nor waits again before the hold ends', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, startedAt } = notedTask(scene);
    await queue.submitMany(task, Array(50).fill(null));
    await queue.hold(task, { for: '1h' });
    const { broker, calls } = counted(scene.broker);
    startWorker({ tasks: [task], broker, pollInterval: '5h' });
    await clock.advance('1s');
    const before = calls();

    await clock.advance('59m');

    expect([before, calls()]).toEqual([2, 2]);
    await clock.advance('2m');
    expect(startedAt).toEqual(Array(50).fill(3_600_000));
  });

  it('polls at the interval, and no more often, while every lane is on hold without an end', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task } = notedTask(scene);
    await queue.submitMany(task, Array(50).fill(null));
    await queue.submit(task, null, { delay: '1m' });
    await queue.hold({ all: true });
    const { broker, calls } = counted(scene.broker);
    startWorker({ tasks: [task], broker, pollInterval: '10m' });

    await clock.advance('1h');

    expect(calls()).toBeLessThanOrEqual(2 * (6 + 1) + 2);
  });

  it.each([
    [undefined, 'target'],
    [null, 'target'],
    [{}, 'all'],
    [{ all: false }, 'all'],
    [{ all: true, task: 'a' }, 'task'],
    ['held@1', 'target'],
  ])('refuses the target %o, which must not pause everything', async (target, path) => {
    const { queue } = setScene();

    for (const call of [queue.hold, queue.resume])
      await expect(call(target as never)).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        problems: [expect.objectContaining({ path })],
      });
    expect(await queue.holds()).toEqual([]);
  });
});

describe('ctx.hold', () => {
  it('holds the lane for all workers and does not end the attempt', async () => {
    const { clock, queue, startWorker } = setScene();
    const started: [string, number][] = [];
    const task = defineTask({
      name: 'paused',
      run: async (name: string, { epoch, hold, release }) => {
        started.push([name, clock.now()]);
        if (name === 'first' && epoch === 1) {
          await hold({ for: '1m', reason: 'the other side says 429' });
          release({ reason: 'on hold' });
        }
      },
    });
    await queue.submit(task, 'first');
    const worker = startWorker({ tasks: [task], name: 'one' });
    startWorker({ tasks: [task], name: 'two' });
    await clock.advance('1s');
    await queue.submit(task, 'second');

    await clock.advance('30s');
    expect(started).toEqual([['first', 0]]);
    expect(await queue.holds()).toEqual([
      {
        lane: 'paused@1',
        source: 'handler',
        reason: 'the other side says 429',
        by: expect.stringMatching(/^(one|two)$/),
        heldAt: 0,
        until: 60_000,
      },
    ]);
    await clock.advance('1m');

    expect(started).toEqual([
      ['first', 0],
      ['first', 60_000],
      ['second', 60_000],
    ]);
    expect(worker.emittedOf('failed')).toEqual([]);
  });

  it('never shortens the hold of another handler', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'paused',
      run: (seconds: number, { hold }) => hold({ for: seconds * 1_000 }),
    });
    await queue.submitMany(task, [60, 5]);
    startWorker({ tasks: [task], concurrency: 2 });

    await clock.advance('1s');

    expect(await queue.holds()).toMatchObject([{ source: 'handler', until: 60_000 }]);
  });

  it('gives back what the worker has claimed in advance of the lane, uncharged', async () => {
    const { clock, queue, startWorker } = setScene();
    let handled = 0;
    const task = defineTask({
      name: 'paused',
      run: async (_: number, { hold }) => {
        handled += 1;
        await pass(clock, 1);
        if (handled === 100) await hold({ for: '1h' });
      },
    });
    await queue.submitMany(task, Array(200).fill(0));
    startWorker({ tasks: [task], concurrency: 1, prefetch: 50 });

    await clock.advance('1m');

    expect(handled).toBeLessThanOrEqual(101);
    expect(await queue.counts()).toMatchObject({ started: 0, submitted: 200 - handled });
  });

  it('rejects with the error of the broker', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const hold = () => Promise.reject(new Error('away'));
    const task = defineTask({
      name: 'paused',
      retry: { maxAttempts: 1 },
      run: (_: null, context) => context.hold({ for: '1m' }),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: { ...broker, hold } });

    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', errors: [{ message: 'away' }] });
  });

  it.each([
    [undefined, 'for'],
    [{}, 'for'],
    [{ for: 0 }, 'for'],
    [{ for: 'Infinity' }, 'for'],
    [{ for: '1m', reason: '' }, 'reason'],
    [{ for: '1m', until: 5 }, 'until'],
  ])('refuses %o', async (request, path) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'wrong',
      retry: { maxAttempts: 1 },
      run: (_: null, { hold }) => hold(request as never),
    });
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect(worker.emittedOf('failed')).toMatchObject([
      { error: { code: 'INVALID_OPTIONS', problems: [{ path }] } },
    ]);
    expect(await queue.holds()).toEqual([]);
  });
});
