import type { Broker, Run } from '@retry/core/broker';
import { changeOperation, claimOperation, putOperation } from '@retry/core/broker/kit';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import type { Scene } from './scene.ts';
import { setScene } from './scene.ts';

const mail = defineTask({
  name: 'mail',
  retry: { maxAttempts: 1 },
  run: (kind: string) =>
    Promise.reject(kind === 'type' ? new TypeError('no mail 17') : new RangeError('full')),
});
const slow = defineTask({
  name: 'slow',
  retry: { maxAttempts: 3, backoff: { type: 'constant', base: '1m' }, jitter: 'none' },
  run: () => Promise.reject(new Error('slow')),
});

/** Runs that have failed, and no worker. */
async function bury(scene: Scene, count: number, kind = 'type'): Promise<void> {
  const { clock, queue, startWorker } = scene;
  const worker = startWorker({ tasks: [mail], concurrency: 1_000 });
  for (let index = 0; index < count; index += 1)
    await queue.submit(mail, kind, { key: `${kind}-${String(index).padStart(4, '0')}` });
  await clock.advance('1s');
  await worker.stop();
}

async function scheduled(broker: Broker): Promise<readonly Run[]> {
  const runs: Run[] = [];
  let after: string | undefined;
  do {
    const asked = { state: 'scheduled', limit: 1_000 } as const;
    const page = await broker.list(after === undefined ? asked : { ...asked, after });
    runs.push(...page.runs);
    after = page.next;
  } while (after !== undefined);
  return runs;
}

describe('deadLetters.plan', () => {
  it('counts by cause and by task, and changes nothing', async () => {
    const scene = setScene();
    await bury(scene, 3);
    await bury(scene, 2, 'range');
    const before = await scene.broker.audit();

    const plan = await scene.queue.deadLetters.plan({ all: true, tasks: [mail] });

    expect(plan).toMatchObject({
      count: 5,
      isComplete: true,
      groups: [
        { title: 'TypeError: no mail #', count: 3 },
        { title: 'RangeError: full', count: 2 },
      ],
      tasks: [{ task: 'mail', version: '1', count: 5, ownPolicies: 0, deadAgainAfterMs: 0 }],
      load: { runs: 5, maxAttempts: 5 },
    });
    expect(plan.firstIds).toHaveLength(5);
    expect(await scene.broker.audit()).toEqual(before);
  });

  it('says how long it takes until they are dead again, by the policy now', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const worker = startWorker({ tasks: [slow] });
    await queue.submit(slow, null);
    await clock.advance('10m');
    await worker.stop();

    const { tasks, load } = await queue.deadLetters.plan({ task: slow });

    expect(tasks).toMatchObject([{ count: 1, deadAgainAfterMs: 120_000 }]);
    expect(load).toMatchObject({ runs: 1, maxAttempts: 3 });
  });

  it('says when it did not count to the end', async () => {
    const scene = setScene();
    await bury(scene, 5);

    expect(await scene.queue.deadLetters.plan({ task: mail, countUpTo: 4 })).toMatchObject({
      ...{ count: 4, isComplete: false },
    });
    expect(await scene.queue.deadLetters.plan({ task: mail, countUpTo: 5 })).toMatchObject({
      ...{ count: 5, isComplete: true },
    });
  });

  it.each([
    ['an empty filter', {}, 'must select dead letters'],
    ['too high a limit', { all: true, limit: 10_001 }, 'limit must be at most 10000'],
    ['what is no task', { all: true, tasks: ['mail'] }, 'tasks'],
    ['a bound of none', { all: true, countUpTo: 0 }, 'countUpTo'],
  ])('refuses %s', async (_name, filter, message) => {
    const { queue } = setScene();

    await expect(queue.deadLetters.plan(filter as never)).rejects.toThrow(message);
  });
});

describe('plan.apply', () => {
  it('returns at once, and redrives what the plan counted', async () => {
    const scene = setScene();
    await bury(scene, 600);
    await bury(scene, 5, 'range');
    const plan = await scene.queue.deadLetters.plan({ errorName: 'TypeError' });

    const operation = await plan.apply({ reason: 'fixed', by: 'ops' });

    expect(operation).toMatchObject({ state: 'running', planned: 600, done: 0, reason: 'fixed', by: 'ops' });
    await scene.clock.advance('1s');
    expect(await operation.wait()).toMatchObject({ state: 'done', done: 600, skipped: 0 });
    expect(await scene.broker.audit()).toMatchObject({ submitted: 600, ended: { failed: 5 }, unbalanced: 0 });
  });

  it('discards what the plan counted', async () => {
    const scene = setScene();
    await bury(scene, 3);
    const plan = await scene.queue.deadLetters.plan({ task: mail, limit: 2 });

    await plan.apply({ kind: 'discard' });
    await scene.clock.advance('1s');

    expect(await scene.broker.audit()).toMatchObject({ forgotten: 2, ended: { failed: 1 }, unbalanced: 0 });
  });

  it('skips what changed since the plan', async () => {
    const scene = setScene();
    await bury(scene, 5);
    const plan = await scene.queue.deadLetters.plan({ task: mail });
    const [first = '', second = '', third = ''] = plan.firstIds;
    await scene.queue.deadLetters.discard({ ids: [first] });
    await scene.queue.deadLetters.redrive({ ids: [second, third] });
    const worker = scene.startWorker({ tasks: [mail] });
    await scene.clock.advance('1s');
    await worker.stop();

    const operation = await plan.apply();
    await scene.clock.advance('1s');

    expect(await operation.wait()).toMatchObject({ done: 2, skipped: 3 });
    expect(await scene.broker.get([second, third])).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);
  });

  it('gives runs their due times at the rate asked for, however it is carried on', async () => {
    const scene = setScene();
    await bury(scene, 400);
    const plan = await scene.queue.deadLetters.plan({ task: mail });
    const from = scene.clock.now();
    await plan.apply({ perSecond: 20 });

    const dues = new Map<string, number>();
    for (let second = 0; second < 25; second += 1) {
      for (const { id, runAt = 0 } of await scheduled(scene.broker)) dues.set(id, runAt - from);
      await scene.clock.advance('1s');
    }

    const sorted = [...dues.values()].sort((one, other) => one - other);
    expect(sorted.length).toBeGreaterThanOrEqual(399);
    // A run each 50 ms: in no second more than 20, nor fewer.
    for (const [index, due] of sorted.entries())
      expect(Math.abs(due - (index + 400 - sorted.length) * 50)).toBeLessThanOrEqual(1);
  });

  it('does not make up for the time of a pause', async () => {
    const scene = setScene();
    await bury(scene, 400);
    const plan = await scene.queue.deadLetters.plan({ task: mail });
    const { id } = await plan.apply({ perSecond: 10 });
    await scene.clock.advance('1s');
    await scene.queue.operations.pause(id);
    const paused = await scene.queue.operations.get(id);
    await scene.clock.advance('1m');
    expect(await scene.queue.operations.get(id)).toEqual(paused);
    const from = scene.clock.now();

    await scene.queue.operations.resume(id);
    await scene.clock.advance(1);

    const dues = (await scheduled(scene.broker)).map(({ runAt = 0 }) => runAt).filter((at) => at >= from);
    // Ten seconds ahead, and no more.
    expect(dues.length).toBeGreaterThanOrEqual(99);
    expect(dues.length).toBeLessThanOrEqual(101);
    expect(Math.max(...dues)).toBeLessThanOrEqual(from + 10_001);
  });

  it('is carried on by one loop of a process, however often it is resumed', async () => {
    const scene = setScene();
    await bury(scene, 400);
    const change = vi.fn(scene.broker.change);
    const broker = { ...scene.broker, change };
    const queue = createQueue({ broker, clock: scene.clock });
    const { id } = await (await queue.deadLetters.plan({ task: mail })).apply({ perSecond: 10 });
    await scene.clock.advance('3s');
    const stepsOfOne = change.mock.calls.length;

    for (let times = 0; times < 5; times += 1) {
      expect(await queue.operations.pause(id)).toBe('changed');
      expect(await queue.operations.resume(id)).toBe('changed');
      await queue.operations.resume(id);
    }
    change.mockClear();
    await scene.clock.advance('3s');

    expect(change.mock.calls.length).toBeLessThanOrEqual(stepsOfOne + 1);
    await scene.clock.advance('1m');
    expect(await queue.operations.get(id)).toMatchObject({ state: 'done', done: 400 });
  });

  it('spreads runs evenly over the time asked for', async () => {
    const scene = setScene();
    await bury(scene, 1_000);
    const plan = await scene.queue.deadLetters.plan({ task: mail });
    const from = scene.clock.now();
    await plan.apply({ spread: '20s' });
    const dues = new Map<string, number>();
    for (let tick = 0; tick < 60; tick += 1) {
      for (const { id, runAt = 0 } of await scheduled(scene.broker)) dues.set(id, runAt - from);
      await scene.clock.advance(500);
    }

    const sorted = [...dues.values()].map((due) => due / 20_000).sort((one, other) => one - other);
    const distance = Math.max(...sorted.map((due, index) => Math.abs(due - (index + 0.5) / sorted.length)));
    // Kolmogorov-Smirnov at 1 % for a thousand draws.
    expect(sorted.length).toBeGreaterThanOrEqual(998);
    expect(distance).toBeLessThan(1.63 / Math.sqrt(1_000));
    expect(sorted.at(-1)).toBeLessThanOrEqual(1);
  });

  it('with keepAttempts skips runs that have no attempt left', async () => {
    const scene = setScene();
    await bury(scene, 3);
    const plan = await scene.queue.deadLetters.plan({ task: mail });
    const byIds = await scene.queue.deadLetters.plan({ task: mail, limit: 2 });

    const operation = await plan.apply({ keepAttempts: true });
    const other = await byIds.apply({ keepAttempts: true });
    await scene.clock.advance('1s');

    expect(await operation.wait()).toMatchObject({ done: 0, skipped: 3 });
    expect(await other.wait()).toMatchObject({ done: 0, skipped: 2 });
  });

  it.each([
    ['both a rate and a spread', { perSecond: 1, spread: '1m' }, 'spread cannot be combined'],
    ['a rate of none', { perSecond: 0 }, 'perSecond must be a finite number > 0'],
    ['a discard with a rate', { kind: 'discard', perSecond: 1 }, 'kind takes neither rate'],
    ['an unknown kind', { kind: 'move' }, 'kind'],
    ['a reason that is too long', { reason: 'x'.repeat(513) }, 'reason'],
    ['an unknown key', { rate: 5 }, 'rate'],
    ['kept attempts without a task', { keepAttempts: true }, 'keepAttempts needs a plan of one task'],
  ])('refuses %s', async (_name, options, message) => {
    const scene = setScene();
    const plan = await scene.queue.deadLetters.plan({ all: true });

    await expect(plan.apply(options as never)).rejects.toThrow(message);
    expect(await scene.queue.operations.list()).toEqual([]);
  });

  it('refuses to spread what it did not count', async () => {
    const scene = setScene();
    await bury(scene, 3);
    const plan = await scene.queue.deadLetters.plan({ task: mail, countUpTo: 2 });

    await expect(plan.apply({ spread: '1m' })).rejects.toThrow('needs a plan that has counted every run');
  });
});

describe('an operation', () => {
  it('is carried on by a worker that does not know the task, when its process is gone', async () => {
    const scene = setScene();
    await bury(scene, 30);
    const { now } = await scene.broker.exchange({});
    await putOperation(scene.broker, {
      ...{ id: 'o', kind: 'redrive', planned: 30, isPlanExact: true },
      filter: { state: 'failed', endedBefore: now },
    });
    await claimOperation(scene.broker, { carrier: 'gone', leaseMs: 5_000 });
    const other = defineTask({ name: 'other', run: () => {} });

    scene.startWorker({ tasks: [other] });
    await scene.clock.advance('4s');
    expect(await scene.queue.operations.get('o')).toMatchObject({ done: 0, carrier: 'gone' });
    await scene.clock.advance('8s');

    expect(await scene.queue.operations.wait('o')).toMatchObject({ done: 30, skipped: 0 });
  });

  it('is cancelled where it is', async () => {
    const scene = setScene();
    await bury(scene, 300);
    const plan = await scene.queue.deadLetters.plan({ task: mail });
    const operation = await plan.apply({ perSecond: 1 });
    await scene.clock.advance('1s');

    expect(await scene.queue.operations.cancel(operation.id)).toBe('changed');
    const ended = await operation.wait();
    await scene.clock.advance('1m');

    expect(ended).toMatchObject({ state: 'cancelled', skipped: 0 });
    expect(ended.done).toBeLessThan(20);
    expect(await scene.queue.operations.get(operation.id)).toEqual(ended);
    expect(await scene.queue.operations.resume(operation.id)).toBe('refused');
    expect(await scene.queue.operations.pause('unknown')).toBe('gone');
  });

  it('is looked for by one note while all have ended, and found after the next put or resume', async () => {
    const { broker } = setScene();
    let count = 0;
    const read: Broker['notes']['read'] = async (query) => {
      const page = await broker.notes.read(query);
      count += page.notes.length;
      return page;
    };
    const counted = { notes: { ...broker.notes, read } };
    const put = (id: string) =>
      putOperation(broker, {
        ...{ id, kind: 'redrive', planned: 1, isPlanExact: true },
        filter: { state: 'failed', endedBefore: 1 },
      });
    const claim = async (): Promise<string | undefined> =>
      (await claimOperation(counted, { carrier: 'c', leaseMs: 1_000 }))?.operation.id;
    for (const id of ['a', 'b', 'c']) {
      await put(id);
      await changeOperation(broker, id, 'cancelled');
    }
    await claim();
    count = 0;

    expect([await claim(), count]).toEqual([undefined, 1]);
    await put('d');
    expect(await claim()).toBe('d');
    await changeOperation(broker, 'd', 'paused');
    expect(await claim()).toBeUndefined();
    await changeOperation(broker, 'd', 'running');
    expect(await claim()).toBe('d');
  });

  it('is waited for until a timeout', async () => {
    const scene = setScene();
    await bury(scene, 3);
    const plan = await scene.queue.deadLetters.plan({ task: mail });
    const operation = await plan.apply({ spread: '1h' });

    const wait = operation.wait({ timeout: '1s' });
    const refused = expect(wait).rejects.toMatchObject({ code: 'WAIT_TIMEOUT' });
    await scene.clock.advance('2s');

    await refused;
    await expect(scene.queue.operations.wait('unknown')).rejects.toMatchObject({ code: 'UNKNOWN_OPERATION' });
  });
});
