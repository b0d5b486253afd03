import type { Broker } from '@retry/core/broker';
import type { HoldTarget } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, expectTypeOf, it } from 'vitest';
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
  const exchange: Broker['exchange'] = (request) => {
    calls += 1;
    return broker.exchange(request);
  };
  const wait: Broker['wait'] = (request) => {
    calls += 1;
    return broker.wait(request);
  };
  return { broker: { ...broker, exchange, wait }, calls: () => calls };
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

  it('takes a lane by its name, as holds lists it, from a script that has no task', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const [first, second] = [notedTask(scene, 'first'), notedTask(scene, 'second')];
    await queue.hold({ lane: 'first@1' });
    await queue.hold({ lane: 'second@1' });
    await queue.submit(first.task, null);
    await queue.submit(second.task, null);
    startWorker({ tasks: [first.task, second.task] });
    await clock.advance('1m');
    const [held] = await queue.holds();

    const answer = await queue.resume({ lane: held?.lane ?? 'none@1' });
    await clock.advance('1s');

    expect([held?.lane, answer]).toEqual(['first@1', 'resumed']);
    expect([first.startedAt, second.startedAt]).toEqual([[60_000], []]);
    expect(await queue.resume({ lane: 'first@1' })).toBe('none');
  });

  it('names the cure for a lane without its version', async () => {
    const { queue } = setScene();

    await expect(queue.resume({ lane: 'held' })).rejects.toThrow(
      'lane must be the lane of a task: name@version, got "held". Use lane: \'send-email@1\'',
    );
  });

  it.each([{ for: 0 }, { until: 0 }, { until: 60_000 }, { until: -1 }])(
    'with %o holds nothing, and replaces the hold before it',
    async (options) => {
      const scene = setScene();
      const { clock, queue, startWorker } = scene;
      const { task, startedAt } = notedTask(scene);
      await queue.hold(task);
      await queue.submit(task, null);
      await clock.advance('1m');

      await queue.hold(task, options);

      expect(await queue.holds()).toEqual([]);
      startWorker({ tasks: [task] });
      await clock.advance('1s');
      expect(startedAt).toEqual([60_000]);
    },
  );

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

    // Once a worker asks whether the server still answers: it does not know whether there was an outage before its start.
    expect([before, calls()]).toEqual([2, 3]);
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
    [{ lane: 'held' }, 'lane'],
    [{ lane: '' }, 'lane'],
    [{ lane: '@1' }, 'lane'],
    [{ lane: 'held@1@2' }, 'lane'],
    [{ lane: null }, 'lane'],
    [{ lane: undefined }, 'all'],
    [{ lane: 'held@1', all: true }, 'all'],
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

describe('the target of a hold', () => {
  it('is one lane or all, by its type', () => {
    expectTypeOf<{ lane: string }>().toExtend<HoldTarget>();
    expectTypeOf<{ all: true }>().toExtend<HoldTarget>();
    expectTypeOf<{ lane: string; all: true }>().not.toExtend<HoldTarget>();
    expectTypeOf<{ all: boolean }>().not.toExtend<HoldTarget>();
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

  it('for 0 holds nothing, leaves a longer hold alone, and lets the attempt go on', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'paused',
      run: async (length: '0ms' | '1h', { hold }) => {
        await hold({ for: length === '0ms' ? 0 : '1h' });
        return length;
      },
    });
    const none = await queue.submit(task, '0ms');
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');
    const before = await queue.holds();
    await queue.submitMany(task, ['1h', '0ms']);
    await clock.advance('1s');

    expect(before).toEqual([]);
    expect(await queue.result(none.id)).toMatchObject({ state: 'completed', result: '0ms', attempts: 1 });
    expect(worker.emittedOf('completed')).toHaveLength(3);
    expect(await queue.holds()).toMatchObject([{ lane: 'paused@1', until: 3_601_000 }]);
  });

  it('for 0 gives back no run that was claimed in advance', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'paused',
      run: async (_: number, { hold }) => {
        await pass(clock, 1);
        await hold({ for: 0 });
      },
    });
    await queue.submitMany(task, Array(200).fill(0));
    const worker = startWorker({ tasks: [task], concurrency: 1, prefetch: 50 });

    await clock.advance('1m');

    expect(worker.emittedOf('completed')).toHaveLength(200);
    expect(worker.emittedOf('released')).toEqual([]);
  });

  it('rejects with the error of the broker', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const read = () => Promise.reject(new Error('away'));
    const task = defineTask({
      name: 'paused',
      retry: { maxAttempts: 1 },
      run: (_: null, context) => context.hold({ for: '1m' }),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: { ...broker, notes: { ...broker.notes, read } } });

    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', errors: [{ message: 'away' }] });
  });

  it.each([
    [undefined, 'for'],
    [{}, 'for'],
    [{ for: -1 }, 'for'],
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
