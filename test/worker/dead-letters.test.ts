import { InvalidOptionsError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { discardRuns } from '@retry/core/broker/kit';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import type { Scene } from './scene.ts';
import { setScene, untilStopped } from './scene.ts';

const once = { maxAttempts: 1 } as const;
const mail = defineTask({ name: 'mail', retry: once, run: () => Promise.reject(new TypeError('no mail')) });
const image = defineTask({
  name: 'image',
  retry: { maxAttempts: 2, backoff: { type: 'none' }, jitter: 'none' },
  run: () => Promise.reject(new RangeError('no image')),
});

/** Dead letters: mail-0 … since 0 s, image-0 … since 10 s. */
async function bury(scene: Scene, { mails, images }: { mails: number; images: number }): Promise<void> {
  const { clock, queue, startWorker } = scene;
  const worker = startWorker({ tasks: [mail, image], concurrency: 1_000 });
  for (let index = 0; index < mails; index += 1) await queue.submit(mail, null, { key: `mail-${index}` });
  await clock.advance('10s');
  for (let index = 0; index < images; index += 1) await queue.submit(image, null, { key: `image-${index}` });
  await clock.advance('1s');
  await worker.stop();
}

describe('deadLetters.list', () => {
  it('returns failed runs with their errors', async () => {
    const scene = setScene();
    await bury(scene, { mails: 1, images: 0 });

    expect((await scene.queue.deadLetters.list()).runs).toMatchObject([
      { id: 'mail@mail-0', state: 'failed', errors: [{ name: 'TypeError', message: 'no mail' }] },
    ]);
  });

  it.each([
    ['a task', { task: image }, ['image@image-0', 'image@image-1']],
    ['the name of the latest error', { errorName: 'TypeError' }, ['mail@mail-0', 'mail@mail-1']],
    ['both', { task: image, errorName: 'TypeError' }, []],
    ['age', { olderThan: '11s' }, ['mail@mail-0', 'mail@mail-1']],
    ['an age that none has', { olderThan: 11_001 }, []],
    ['the least age', { olderThan: '1s' }, ['image@image-0', 'image@image-1', 'mail@mail-0', 'mail@mail-1']],
    ['number', { limit: 3 }, ['image@image-0', 'image@image-1', 'mail@mail-0']],
    ['state', { state: 'stalled' }, []],
  ] as const)('filters by %s', async (_name, filter, ids) => {
    const scene = setScene();
    await bury(scene, { mails: 2, images: 2 });

    const found = (await scene.queue.deadLetters.list(filter)).runs;

    expect(found.map(({ id }) => id)).toEqual(ids);
  });

  it('returns 100 unless more are requested, and reads several pages of the broker', async () => {
    const scene = setScene();
    await bury(scene, { mails: 1_205, images: 0 });

    expect((await scene.queue.deadLetters.list()).runs).toHaveLength(100);
    expect((await scene.queue.deadLetters.list({ limit: 1_000 })).runs).toHaveLength(1_000);
    const all = new Set<string>();
    for await (const { id } of scene.queue.deadLetters.list()) all.add(id);
    expect(all.size).toBe(1_205);
  });

  it('leaves out runs of tasks without dead letters, which do not count towards the limit', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const throwaway = defineTask({ ...throwawayInput, retry: once });
    for (const key of ['a', 'b', 'c']) await queue.submit(throwaway, null, { key });
    startWorker({ tasks: [throwaway] });
    await clock.advance('1s');
    await bury(scene, { mails: 2, images: 0 });

    const found = (await queue.deadLetters.list({ limit: 2 })).runs;

    expect(found.map(({ id }) => id)).toEqual(['mail@mail-0', 'mail@mail-1']);
    expect(await queue.get('throwaway@a')).toMatchObject({ state: 'failed', isDisposable: true });
  });

  it('returns stalled and rate limited runs on request', async () => {
    const { clock, queue, startWorker } = setScene();
    const silent = defineTask({ name: 'silent', heartbeat: '1s', onStall: 'hold', run: untilStopped });
    const limited = defineTask({
      name: 'limited',
      rateLimit: { limit: 0, window: '1s' },
      whenFull: 'end',
      run: () => {},
    });
    await queue.submit(silent, null, { key: 'silent' });
    await queue.submit(limited, null, { key: 'limited' });
    startWorker({ tasks: [silent, limited] });
    await clock.advance('5s');

    const idsOf = async (state: 'stalled' | 'rateLimited' | 'failed') =>
      (await queue.deadLetters.list({ state })).runs.map(({ id }) => id);

    expect(await idsOf('stalled')).toEqual(['silent@silent']);
    expect(await idsOf('rateLimited')).toEqual(['limited@limited']);
    expect(await idsOf('failed')).toEqual([]);
  });

  it.each(['list', 'redrive', 'discard'] as const)('of %s refuses an invalid age', async (verb) => {
    const scene = setScene();
    await bury(scene, { mails: 1, images: 0 });

    // Taken for no age at all, it would discard everything.
    const asked = scene.queue.deadLetters[verb]({ olderThan: '5 minutes' as never });

    await expect(asked).rejects.toThrow(InvalidOptionsError);
    expect((await scene.queue.deadLetters.list()).runs).toHaveLength(1);
  });
});

const throwawayInput = {
  name: 'throwaway',
  deadLetter: 'none',
  run: () => Promise.reject(new Error('whatever')),
} as const;

describe('deadLetters.redrive', () => {
  it('sends them back to their lanes and resets their attempts', async () => {
    const scene = setScene();
    await bury(scene, { mails: 1, images: 2 });
    const { clock, queue, startWorker } = scene;
    const attempts: number[] = [];
    const fixed = defineTask({ name: 'image', run: (_: null, { attempt }) => void attempts.push(attempt) });

    const redriven = await queue.deadLetters.redrive({ task: image });
    expect(await queue.get('image@image-0')).toMatchObject({
      state: 'submitted',
      failures: 0,
      errors: [],
      redrives: 1,
    });
    startWorker({ tasks: [fixed] });
    await clock.advance('1s');

    expect(redriven).toEqual(['image@image-0', 'image@image-1']);
    expect(attempts).toEqual([1, 1]);
    expect(await queue.get('image@image-0')).toMatchObject({ state: 'completed', epoch: 3 });
    expect(await queue.get('mail@mail-0')).toMatchObject({ state: 'failed' });
  });

  it('keeps the counted attempts on request', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'picky',
      retry: { maxAttempts: 3, retryOn: [{ name: 'RangeError' }] },
      run: () => Promise.reject(new TypeError('not expected')),
    });
    startWorker({ tasks: [task] });
    await queue.submit(task, null, { key: 'one' });
    await clock.advance('1s');

    expect(await queue.deadLetters.redrive({ task, keepAttempts: true })).toEqual(['picky@one']);

    await clock.advance('1s');
    expect(await queue.get('picky@one')).toMatchObject({ failures: 2, errors: [{ epoch: 1 }, { epoch: 2 }] });
  });

  it('does not redrive runs without attempts left when attempts are kept', async () => {
    const scene = setScene();
    await bury(scene, { mails: 0, images: 1 });

    expect(await scene.queue.deadLetters.redrive({ task: image, keepAttempts: true })).toEqual([]);

    expect((await scene.queue.counts()).ended.failed).toBe(1);
  });

  it('redrives only what failed with all: true, unless another state is asked for', async () => {
    const scene = setScene();
    const busy = defineTask({
      name: 'busy',
      globalConcurrency: 1,
      whenFull: 'end',
      retry: once,
      run: mail.run,
    });
    await scene.queue.submitMany(busy, [null, null, null]);
    scene.startWorker({ tasks: [busy] });
    await scene.clock.advance('1s');
    const { redrive } = scene.queue.deadLetters;

    expect(await redrive({ all: true, dryRun: true })).toHaveLength(1);
    expect(await redrive({ all: true, dryRun: true, state: 'rateLimited' })).toHaveLength(2);
    await expect(redrive({})).rejects.toThrow('all: true means every one of the state.');
  });

  it('requires the task to keep attempts', async () => {
    const { queue } = setScene();

    await expect(queue.deadLetters.redrive({ keepAttempts: true })).rejects.toThrow(
      'is required with keepAttempts',
    );
  });

  it('gives a run with a total timeout all its time again', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'timely',
      retry: {
        maxAttempts: 2,
        backoff: { type: 'constant', base: '1s' },
        jitter: 'none',
        totalTimeout: '1m',
      },
      run: () => Promise.reject(new TypeError('still down')),
    });
    startWorker({ tasks: [task] });
    await queue.submit(task, null, { key: 'one' });
    await clock.advance('1h');

    await queue.deadLetters.redrive({ task });
    await clock.advance('10s');

    expect(await queue.result('timely@one')).toMatchObject({ state: 'failed', attempts: 2 });
  });

  it('keeps a dead letter whose task had deadLetter none before', async () => {
    const { clock, queue, startWorker } = setScene();
    const input = {
      name: 'changed',
      retry: { maxAttempts: 2, backoff: { type: 'constant', base: '1m' }, jitter: 'none' },
      run: () => Promise.reject(new TypeError('down')),
    } as const;
    const first = startWorker({ tasks: [defineTask({ ...input, deadLetter: 'none' })] });
    const task = defineTask(input);
    await queue.submit(task, null, { key: 'one' });
    await clock.advance('1s');
    await first.stop();
    startWorker({ tasks: [task] });
    await clock.advance('2m');

    expect((await queue.deadLetters.list()).runs).toMatchObject([{ id: 'changed@one', failures: 2 }]);
  });

  it('in a dry run returns what it would redrive and redrives nothing', async () => {
    const scene = setScene();
    await bury(scene, { mails: 2, images: 1 });

    expect(await scene.queue.deadLetters.redrive({ dryRun: true, all: true, limit: 2 })).toEqual([
      'image@image-0',
      'mail@mail-0',
    ]);

    expect((await scene.queue.counts()).ended.failed).toBe(3);
  });

  it.each(['perSecond', 'spread'])('leaves %s to a plan, and says so', async (key) => {
    const { queue } = setScene();

    await expect(queue.deadLetters.redrive({ all: true, [key]: 5 } as never)).rejects.toThrow(
      /A redrive at a rate is planned: .*plan\(.*apply\(/,
    );
  });

  it('leaves out a run that another caller redrove meanwhile', async () => {
    const scene = setScene();
    await bury(scene, { mails: 2, images: 0 });
    const change: Broker['change'] = vi.fn(async (changes, options) => {
      await discardRuns(scene.broker, ['mail@mail-1']);
      return scene.broker.change(changes, options);
    });
    const queue = createQueue({ broker: { ...scene.broker, change }, clock: scene.clock });

    expect(await queue.deadLetters.redrive({ all: true })).toEqual(['mail@mail-0']);
  });
});

describe('deadLetters.discard', () => {
  it('deletes what the filter selects for good', async () => {
    const scene = setScene();
    await bury(scene, { mails: 2, images: 1 });

    expect(await scene.queue.deadLetters.discard({ task: mail })).toEqual(['mail@mail-0', 'mail@mail-1']);

    expect(await scene.queue.get('mail@mail-0')).toBeUndefined();
    expect(await scene.queue.counts()).toMatchObject({ forgotten: 2, ended: { failed: 1 }, unbalanced: 0 });
  });
});

describe('dead letters by their ids', () => {
  it('are redriven, and no others', async () => {
    const scene = setScene();
    await bury(scene, { mails: 3, images: 1 });

    const redriven = await scene.queue.deadLetters.redrive({
      ids: ['mail@mail-2', 'image@image-0', 'unknown'],
    });

    expect(redriven).toEqual(['mail@mail-2', 'image@image-0']);
    expect((await scene.queue.counts()).ended.failed).toBe(2);
  });

  it('are discarded, and no others', async () => {
    const scene = setScene();
    await bury(scene, { mails: 3, images: 0 });

    expect(await scene.queue.deadLetters.discard({ ids: ['mail@mail-1'] })).toEqual(['mail@mail-1']);

    expect((await scene.queue.counts()).ended.failed).toBe(2);
  });

  it('are none when the list of ids is empty', async () => {
    const scene = setScene();
    await bury(scene, { mails: 1, images: 0 });

    expect(await scene.queue.deadLetters.discard({ ids: [] })).toEqual([]);
    expect(await scene.queue.deadLetters.redrive({ ids: [] })).toEqual([]);
    expect((await scene.queue.deadLetters.list({ ids: [] })).runs).toEqual([]);
  });

  it('are found in any state of a dead letter, and a completed run is none', async () => {
    const { clock, queue, startWorker } = setScene();
    const silent = defineTask({ name: 'silent', heartbeat: '1s', onStall: 'hold', run: untilStopped });
    const fine = defineTask({ name: 'fine', run: () => {} });
    await queue.submit(silent, null, { key: 'a' });
    await queue.submit(fine, null, { key: 'b' });
    startWorker({ tasks: [silent, fine] });
    await clock.advance('5s');
    const ids = ['silent@a', 'fine@b'];

    expect((await queue.deadLetters.list({ ids })).runs.map(({ id }) => id)).toEqual(['silent@a']);
    expect((await queue.deadLetters.list({ ids, state: 'failed' })).runs).toEqual([]);
    expect(await queue.deadLetters.discard({ ids })).toEqual(['silent@a']);
    expect(await queue.get('fine@b')).toMatchObject({ state: 'completed' });
  });

  it('are filtered by the other fields, too', async () => {
    const scene = setScene();
    await bury(scene, { mails: 1, images: 1 });
    const ids = ['mail@mail-0', 'image@image-0'];
    const idsOf = async (filter: object) =>
      (await scene.queue.deadLetters.list({ ids, ...filter })).runs.map(({ id }) => id);

    expect(await idsOf({ task: image })).toEqual(['image@image-0']);
    expect(await idsOf({ errorName: 'TypeError' })).toEqual(['mail@mail-0']);
    expect(await idsOf({ olderThan: '11s' })).toEqual(['mail@mail-0']);
    expect(await idsOf({ limit: 1 })).toEqual(['mail@mail-0']);
  });

  it('may be as many as there are, and are read in parts', async () => {
    const scene = setScene();
    await bury(scene, { mails: 1_205, images: 0 });
    const own = { ...scene.broker };
    const get = vi.spyOn(own, 'get');
    const queue = createQueue({ broker: own, clock: scene.clock });
    const ids = Array.from({ length: 1_205 }, (_, index) => `mail@mail-${index}`);

    expect(await queue.deadLetters.redrive({ ids })).toEqual(ids);

    const whole = get.mock.calls.filter(([_, options]) => options?.answer !== 'seen');
    expect(Math.max(...whole.map(([asked]) => asked.length))).toBeLessThanOrEqual(500);
  });
});

describe('what dead letters cost to read', () => {
  const watched = async (mails: number) => {
    const scene = setScene();
    await bury(scene, { mails, images: 0 });
    const list = vi.fn(scene.broker.list);
    return { list, queue: createQueue({ broker: { ...scene.broker, list }, clock: scene.clock }) };
  };

  it('is one run for a list of one', async () => {
    const { list, queue } = await watched(50);

    expect((await queue.deadLetters.list({ limit: 1 })).runs).toHaveLength(1);

    expect(list.mock.calls).toMatchObject([[{ limit: 1, payloads: 'include' }]]);
  });

  it.each(['redrive', 'discard'] as const)('is no payload to %s', async (verb) => {
    const { list, queue } = await watched(5);

    expect(await queue.deadLetters[verb]({ all: true })).toHaveLength(5);

    for (const [query] of list.mock.calls) expect(query.payloads).toBe('omit');
  });

  it('is a number of pages, which may be short or empty', async () => {
    const scene = setScene();
    await bury(scene, { mails: 7, images: 0 });
    // A broker that returns at most two runs on a page, and none on every other one.
    let calls = 0;
    const list: Broker['list'] = async (query) => {
      calls += 1;
      if (calls % 2 === 0 && query.after !== undefined) return { runs: [], next: query.after };
      return scene.broker.list({ ...query, limit: Math.min(2, query.limit) });
    };
    const queue = createQueue({ broker: { ...scene.broker, list }, clock: scene.clock });

    expect((await queue.deadLetters.list({ limit: 6 })).runs).toHaveLength(6);
    expect(await queue.deadLetters.redrive({ all: true })).toHaveLength(7);
  });

  it('is every page with all: true, however many', async () => {
    const { queue } = await watched(1_205);

    expect(await queue.deadLetters.redrive({ all: true, dryRun: true })).toHaveLength(1_205);
    expect(await queue.deadLetters.redrive({ all: true, dryRun: true, limit: 30 })).toHaveLength(30);
    expect(await queue.deadLetters.discard({ task: mail })).toHaveLength(100);
  });
});
