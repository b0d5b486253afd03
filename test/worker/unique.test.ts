import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene, untilStopped } from './scene.ts';

const send = defineTask({ name: 'send', run: (_: number) => {} });
const slow = defineTask({ name: 'slow', run: untilStopped });

describe('unique', () => {
  it('submits nothing while a run of the key waits or runs, and returns that run', async () => {
    const { clock, queue, startWorker } = setScene();
    const unique = { key: 'ann' };

    const first = await queue.submit(slow, null, { unique });
    const second = await queue.submit(slow, null, { unique });
    startWorker({ tasks: [slow] });
    await clock.advance(0);
    const third = await queue.submit(slow, null, { unique });

    expect(first).toEqual({ id: first.id, isNew: true });
    expect([second, third]).toEqual([
      { id: first.id, isNew: false },
      { id: first.id, isNew: false },
    ]);
    expect(await queue.get(first.id)).toMatchObject({ state: 'started' });
  });

  it('submits again once the run has ended', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [send] });
    await queue.submit(send, 1, { unique: { key: 'ann' } });
    await clock.advance('1s');

    expect(await queue.submit(send, 2, { unique: { key: 'ann' } })).toMatchObject({ isNew: true });
  });

  it('lets one more run wait while one runs, until started', async () => {
    const { clock, queue, startWorker } = setScene();
    const unique = { key: 'ann', until: 'started' } as const;
    startWorker({ tasks: [slow], concurrency: 1 });
    await queue.submit(slow, null, { unique });
    await clock.advance(0);

    const second = await queue.submit(slow, null, { unique });
    const third = await queue.submit(slow, null, { unique });

    expect(second.isNew).toBe(true);
    expect(third).toEqual({ id: second.id, isNew: false });
  });

  it('runs the last of many submissions that replace one another, one delay after it', async () => {
    const seen: number[] = [];
    const save = defineTask({ name: 'save', run: (draft: number) => void seen.push(draft) });
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [save] });
    const options = { delay: '5s', unique: { key: 'doc', onConflict: 'replace' } } as const;

    const first = await queue.submit(save, 1, options);
    for (const draft of [2, 3, 4]) {
      await clock.advance('3s');
      await queue.submit(save, draft, options);
    }
    await clock.advance('3s');
    expect(seen).toEqual([]);
    await clock.advance('4s');

    expect(seen).toEqual([4]);
    expect(await queue.get(first.id)).toMatchObject({ state: 'cancelled' });
  });

  it('names the run that was replaced', async () => {
    const { queue } = setScene();
    const unique = { key: 'doc', onConflict: 'replace' } as const;

    const first = await queue.submit(send, 1, { unique });
    const second = await queue.submit(send, 2, { unique });

    expect(second).toEqual({ id: second.id, isNew: true, replaced: first.id });
  });

  it('submits at most one run in a duration, however soon it ends', async () => {
    const seen: number[] = [];
    const ping = defineTask({ name: 'ping', run: (at: number) => void seen.push(at) });
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [ping] });

    for (let second = 0; second < 25; second += 1) {
      await queue.submit(ping, second, { unique: { key: 'host', until: '10s' } });
      await clock.advance('1s');
    }

    expect(seen).toEqual([0, 10, 20]);
  });

  it('belongs to the task by its name, whatever its version', async () => {
    const next = defineTask({ name: 'send', version: '2', run: (_: number) => {} });
    const other = defineTask({ name: 'other', run: (_: number) => {} });
    const { queue } = setScene();
    const unique = { key: 'ann' };

    const first = await queue.submit(send, 1, { unique });

    expect(await queue.submit(next, 1, { unique })).toEqual({ id: first.id, isNew: false });
    expect(await queue.submit(other, 1, { unique })).toMatchObject({ isNew: true });
    expect(await queue.submit(send, 1, { key: 'ann' })).toMatchObject({ isNew: true });
  });

  it.each(['a}b', '{', 'ü'.repeat(256), 'k'.repeat(512), '@', ' '])(
    'takes any text that is a name as a key: %s',
    async (key) => {
      const { queue } = setScene();

      const first = await queue.submit(send, 1, { unique: { key } });

      expect(await queue.submit(send, 1, { unique: { key } })).toEqual({ id: first.id, isNew: false });
      expect(await queue.submit(send, 1, { unique: { key: `${key.slice(1)}x` } })).toMatchObject({
        isNew: true,
      });
    },
  );

  it('holds for each run of submitMany', async () => {
    const { queue } = setScene();
    const each = (payload: number) => ({ unique: { key: `${payload % 2}` } });

    const submitted = await queue.submitMany(send, [1, 2, 3, 4], { each });

    expect(submitted.map(({ isNew }) => isNew)).toEqual([true, true, false, false]);
    expect(submitted.slice(2).map(({ id }) => id)).toEqual(submitted.slice(0, 2).map(({ id }) => id));
  });

  it('lets submitAndWait wait for the run that is there', async () => {
    const double = defineTask({ name: 'double', run: (number: number) => number * 2 });
    const { clock, queue, startWorker } = setScene();
    const unique = { key: 'one' };

    const results = Promise.all([1, 2].map((number) => queue.submitAndWait(double, number, { unique })));
    startWorker({ tasks: [double] });
    await clock.advance('1s');

    expect(await results).toEqual([2, 2]);
  });

  it('is observed as submitted only when it is', async () => {
    const { queue } = setScene();
    const observed: string[] = [];
    queue.on('submitted', ({ id }) => void observed.push(id));

    const first = await queue.submit(send, 1, { unique: { key: 'ann' } });
    await queue.submit(send, 1, { unique: { key: 'ann' } });

    expect(observed).toEqual([first.id]);
  });

  it.each([
    ['unique', 'ann', 'must be an object'],
    ['unique.key', {}, 'must be text'],
    ['unique.key', { key: null }, 'must be text'],
    ['unique.key', { key: '' }, 'must not be empty'],
    ['unique.key', { key: 'k'.repeat(513) }, 'must be at most 512 bytes of UTF-8'],
    ['unique.until', { key: 'k', until: 'done' }, "must be 'started', 'ended' or a finite duration > 0"],
    ['unique.until', { key: 'k', until: 0 }, "must be 'started', 'ended' or a finite duration > 0"],
    ['unique.until', { key: 'k', until: Infinity }, "must be 'started', 'ended' or a finite duration > 0"],
    ['unique.onConflict', { key: 'k', onConflict: 'drop' }, 'is not one of the choices'],
    ['unique.ttl', { key: 'k', ttl: 1 }, 'is not a known key'],
  ])('refuses a wrong %s', async (path, unique, message) => {
    const { queue } = setScene();

    const submitting = queue.submit(send, 1, { unique: unique as never });

    await expect(submitting).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      problems: [expect.objectContaining({ path, message })],
    });
  });

  it('refuses a key of one run that no text can be made of', async () => {
    const { queue } = setScene();
    const each = () => ({ unique: { key: Object.create(null) } });

    await expect(queue.submitMany(send, [1], { each })).rejects.toMatchObject({
      problems: [expect.objectContaining({ path: 'each(0).unique.key', message: 'must be text' })],
    });
  });

  it('refuses to be combined with an idempotency key', async () => {
    const { queue } = setScene();

    const submitting = queue.submit(send, 1, { key: 'a', unique: { key: 'b' } });

    await expect(submitting).rejects.toMatchObject({
      problems: [expect.objectContaining({ path: 'unique', message: 'cannot be combined with key' })],
    });
  });

  it('is not an option of all runs of submitMany, nor of resubmit', async () => {
    const { queue } = setScene();
    const options = { unique: { key: 'a' } } as never;
    const unknown = {
      problems: [expect.objectContaining({ path: 'unique', message: 'is not a known key' })],
    };

    await expect(queue.submitMany(send, [1], options)).rejects.toMatchObject(unknown);
    await expect(queue.resubmit('a', options)).rejects.toMatchObject(unknown);
  });

  it.each([
    ['key', 'a'],
    ['unique', { key: 'a' }],
  ])('points to each when submitMany gets the option %s for all runs', async (key, value) => {
    const { queue } = setScene();

    const submitting = queue.submitMany(send, [1], { [key]: value });

    await expect(submitting).rejects.toMatchObject({
      problems: [expect.objectContaining({ path: key, cure: expect.stringMatching(/^Use each: /) })],
    });
  });
});
