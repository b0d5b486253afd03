import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { refusedPaths } from '../support/wrong-input.ts';
import { setScene, untilStopped } from './scene.ts';

const task = defineTask({ name: 'report', run: () => 'handled' });
const endless = defineTask({ name: 'endless', run: untilStopped });

describe('queue.reschedule', () => {
  it('starts a waiting run later, or a scheduled one sooner', async () => {
    const { clock, queue, startWorker } = setScene();
    const later = await queue.submit(task, null);
    const sooner = await queue.submit(task, null, { delay: '1h' });

    expect(await queue.reschedule(later.id, { delay: '10m' })).toBe('rescheduled');
    expect(await queue.reschedule(sooner.id, { runAt: 60_000 })).toBe('rescheduled');
    startWorker({ tasks: [task] });
    await clock.advance('2h');

    expect(await queue.get(later.id)).toMatchObject({ firstStartedAt: 600_000 });
    expect(await queue.get(sooner.id)).toMatchObject({ firstStartedAt: 60_000 });
  });

  it('wakes an idle worker by runNow', async () => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, null, { delay: '1d' });
    startWorker({ tasks: [task], pollInterval: '10h' });
    await clock.advance('1h');

    expect(await queue.runNow(id)).toBe('rescheduled');
    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', firstStartedAt: 3_600_000 });
  });

  it('brings the next attempt of a failed one forward', async () => {
    const { clock, queue, startWorker } = setScene();
    const flaky = defineTask({
      name: 'flaky',
      retry: { backoff: { type: 'constant', base: '1h' }, jitter: 'none' },
      run: (_: null, { attempt }) => {
        if (attempt === 1) throw new Error('no');
      },
    });
    const { id } = await queue.submit(flaky, null);
    startWorker({ tasks: [flaky] });
    await clock.advance('1s');

    await queue.runNow(id);
    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', failures: 1, endedAt: 1_000 });
  });

  it('refuses a run that is running or has ended, and knows no other', async () => {
    const { clock, queue, startWorker } = setScene();
    const running = await queue.submit(endless, null);
    const ended = await queue.submit(task, null);
    startWorker({ tasks: [task, endless] });
    await clock.advance('1s');

    const answers = [running.id, ended.id, 'unknown'].flatMap((id) => [
      queue.reschedule(id, { delay: '1h' }),
      queue.runNow(id),
    ]);

    expect(await Promise.all(answers)).toEqual(['refused', 'refused', 'refused', 'refused', 'gone', 'gone']);
  });

  it.each([
    [undefined, ['']],
    [{}, ['']],
    [{ runAt: Number.NaN }, ['runAt']],
    [{ delay: -1, runAt: 'now' }, ['runAt', 'delay']],
    [{ in: '1h' }, ['in']],
  ])('refuses %o', async (options, paths) => {
    const { queue } = setScene();

    expect(await refusedPaths(() => queue.reschedule('a', options as never))).toEqual(paths);
  });
});

describe('queue.complete', () => {
  it('ends a waiting run with this result, which reaches the caller that waits for it', async () => {
    const { clock, queue } = setScene();
    const { id } = await queue.submit(task, null, { keepResult: '1h' });
    const result = queue.waitForResult(id);

    expect(await queue.complete(id, { by: 'hand' })).toBe('done');
    await clock.advance('1s');

    expect(await result).toEqual({ by: 'hand' });
    expect(await queue.complete(id)).toBe('ended');
  });

  it('counts no attempt that was not made', async () => {
    const { clock, queue, startWorker } = setScene();
    const flaky = defineTask({
      name: 'flaky',
      run: () => {
        throw new Error('no');
      },
    });
    const untried = await queue.submit(task, null);
    const tried = await queue.submit(flaky, null);
    const handled = await queue.submit(task, null);
    await queue.complete(untried.id);
    startWorker({ tasks: [task, flaky] });
    await clock.advance(1);
    await queue.complete(tried.id, 'by hand');

    expect(await queue.result(untried.id)).toMatchObject({ state: 'completed', result: null, attempts: 0 });
    expect(await queue.result(tried.id)).toMatchObject({ result: 'by hand', attempts: 1, retries: 0 });
    expect(await queue.result(handled.id)).toMatchObject({ result: 'handled', attempts: 1 });
  });

  it.each<[unknown, string]>([
    [() => {}, 'the result cannot be stored: it is a function, which JSON cannot hold'],
    [1n, 'the result cannot be stored: it is 1n, which JSON cannot hold'],
    [{ done: () => {} }, 'the result cannot be stored: done is a function, which JSON cannot hold'],
    [{ toJSON: () => JSON.parse('{') }, 'the result cannot be stored: it cannot be written as JSON'],
    [
      JSON.parse('{"__proto__":1}'),
      'the result cannot be stored: it has a key __proto__, which would pollute',
    ],
    ['x'.repeat(1_048_575), 'it has 1048577 bytes'],
  ])('refuses a result that cannot be stored, and calls it a result: %o', async (result, message) => {
    const { queue } = setScene();
    const { id } = await queue.submit(task, null);

    const completed = queue.complete(id, result);

    await expect(completed).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
    await expect(completed).rejects.toThrow(message);
    expect(await queue.get(id)).toMatchObject({ state: 'submitted' });
  });
});

describe('queue.fail', () => {
  it('ends a waiting run as a dead letter with this error, which can be redriven', async () => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, null, { delay: '1h' });

    expect(await queue.fail(id, new RangeError('never again'))).toBe('done');

    expect(await queue.get(id)).toMatchObject({
      state: 'failed',
      failures: 0,
      errors: [{ epoch: 0, at: 0, name: 'RangeError', message: 'never again', stack: expect.any(String) }],
    });
    await expect(queue.waitForResult(id)).rejects.toMatchObject({
      code: 'RUN_FAILED',
      errorName: 'RangeError',
    });
    expect(await queue.deadLetters.redrive({ errorName: 'RangeError' })).toEqual([id]);
    startWorker({ tasks: [task] });
    await clock.advance('1s');
    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });

  it('asks a running run to cancel first', async () => {
    const { clock, queue, startWorker } = setScene();
    const [failed, completed] = [await queue.submit(endless, null), await queue.submit(endless, null)];
    const worker = startWorker({ tasks: [endless] });
    await clock.advance('1s');

    expect(await queue.fail(failed.id, 'no')).toBe('requested');
    expect(await queue.complete(completed.id)).toBe('requested');
    await clock.advance('1s');

    expect(worker.emittedOf('cancelled').map(({ id }) => id)).toEqual([failed.id, completed.id]);
    expect(await queue.fail(failed.id, 'no')).toBe('ended');
    expect(await queue.fail('unknown', 'no')).toBe('gone');
  });

  it('stores what the redact of the queue leaves of the error', async () => {
    const { broker, clock } = setScene();
    const queue = createQueue({ broker, clock, redact: () => ({ name: 'Hidden', message: 'hidden' }) });
    const { id } = await queue.submit(task, null);

    await queue.fail(id, new Error('password: geheim'));

    expect((await queue.get(id))?.errors).toEqual([
      { epoch: 0, at: 0, name: 'Hidden', message: 'hidden', reason: 'ended' },
    ]);
  });

  it.each([
    ['text', { name: 'string', message: 'text' }],
    [undefined, { name: 'undefined', message: 'undefined' }],
    [new Error('nul \0 half \ud800'), { name: 'Error', message: 'nul \u{fffd} half \u{fffd}' }],
    [new Error('x'.repeat(100_000)), { name: 'Error', message: 'x'.repeat(8_192) }],
    [Object.assign(new Error('no name'), { name: '' }), { name: 'Error', message: 'no name' }],
    [Object.assign(new Error('long'), { name: 'n'.repeat(600) }), { name: 'n'.repeat(500), message: 'long' }],
    [Object.assign(new Error('wide'), { name: 'é'.repeat(300) }), { name: 'é'.repeat(250), message: 'wide' }],
    [Proxy.revocable({}, {}).proxy, { name: 'object' }],
  ])('stores anything: %o', async (error, stored) => {
    const { queue } = setScene();
    const { id } = await queue.submit(task, null);

    expect(await queue.fail(id, error)).toBe('done');

    expect((await queue.get(id))?.errors).toMatchObject([stored]);
  });

  it('answers many calls of the same turn, each its own', async () => {
    const { queue, broker } = setScene();
    let calls = 0;
    const change: typeof broker.change = (changes, options) => {
      calls += 1;
      return broker.change(changes, options);
    };
    const counting = createQueue({ broker: { ...broker, change } });
    const submitted = await queue.submitMany(task, Array(500).fill(null));

    const answers = await Promise.all([
      ...submitted.map(({ id }, index) =>
        index % 2 === 0 ? counting.complete(id) : counting.fail(id, 'no'),
      ),
      counting.complete('unknown'),
    ]);

    expect(answers).toEqual([...Array(500).fill('done'), 'gone']);
    expect(calls).toBeLessThanOrEqual(2);
    expect(await queue.counts()).toMatchObject({ ended: { completed: 250, failed: 250 } });
  });
});

describe('an id', () => {
  it.each(['', 5, undefined, 'half \ud800'])('that is none is refused: %o', async (id) => {
    const { queue } = setScene();
    const calls = [
      () => queue.reschedule(id as never, { delay: 1 }),
      () => queue.runNow(id as never),
      () => queue.fail(id as never, 'no'),
      () => queue.complete(id as never),
      () => queue.resubmit(id as never),
    ];

    for (const call of calls) expect(await refusedPaths(call)).toEqual(['id']);
  });
});
