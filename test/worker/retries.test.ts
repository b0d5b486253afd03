import { NonRetryableError } from '@retry/core';
import { defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { pass, setScene, untilStopped } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '10s' }, jitter: 'none' } as const;

describe('a failed attempt', () => {
  it('is followed by others after the delays of the policy, until one succeeds', async () => {
    const { clock, queue, startWorker } = setScene();
    const startedAt: number[] = [];
    const task = defineTask({
      name: 'flaky',
      retry: { maxAttempts: 3, backoff: { type: 'exponential', base: '1s' }, jitter: 'none' },
      run: (_: null, { attempt }) => {
        startedAt.push(clock.now());
        if (attempt < 3) throw new Error(`attempt ${attempt}`);
        return 'done';
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(startedAt).toEqual([0, 1_000, 3_000]);
    expect(await queue.get(id)).toMatchObject({
      state: 'completed',
      result: 'done',
      epoch: 3,
      failures: 2,
      errors: [
        { epoch: 1, at: 0, name: 'Error', message: 'attempt 1' },
        { epoch: 2, at: 1_000, name: 'Error', message: 'attempt 2' },
      ],
    });
    expect(worker.emittedOf('retried')).toMatchObject([
      { id, task: 'flaky', version: '1', attempt: 1, epoch: 1, delayMs: 1_000, reason: 'expected' },
      { id, task: 'flaky', version: '1', attempt: 2, epoch: 2, delayMs: 2_000, reason: 'expected' },
    ]);
    expect(worker.emittedOf('completed')).toEqual([
      { id, task: 'flaky', version: '1', attempt: 3, epoch: 3, durationMs: 0, retries: 2 },
    ]);
  });

  it('ends the run when no attempt is left', async () => {
    const { clock, queue, startWorker } = setScene();
    const run = vi.fn(() => {
      throw new TypeError('again');
    });
    const task = defineTask({ name: 'doomed', retry: { ...STEADY, maxAttempts: 3 }, run });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(run).toHaveBeenCalledTimes(3);
    expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 3, endedAt: 20_000 });
    expect((await queue.get(id))?.errors.map(({ at, name }) => [at, name])).toEqual([
      [0, 'TypeError'],
      [10_000, 'TypeError'],
      [20_000, 'TypeError'],
    ]);
    expect(worker.emittedOf('failed')).toMatchObject([{ id, attempt: 3, reason: 'exhausted' }]);
  });

  it.each([
    ['an error that retryOn does not list', new RangeError('no'), 'unexpected'],
    ['an error that stopOn lists', new SyntaxError('no'), 'stopped'],
    ['a NonRetryableError', new NonRetryableError('no'), 'stopped'],
  ])('ends the run immediately with %s', async (_name, error, reason) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'picky',
      retry: {
        ...STEADY,
        maxAttempts: 3,
        retryOn: [TypeError, SyntaxError, NonRetryableError],
        stopOn: [SyntaxError],
      },
      run: () => {
        throw error;
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', epoch: 1, failures: 1 });
    expect(worker.emittedOf('failed')).toMatchObject([{ error, reason }]);
  });

  it('ends the run when retryIf throws, and loses nothing', async () => {
    const { clock, queue, startWorker } = setScene();
    const error = new Error('of the handler');
    const task = defineTask({
      name: 'gated',
      retry: {
        retryIf: () => {
          throw new Error('of the gate');
        },
      },
      run: () => Promise.reject(error),
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', errors: [{ message: 'of the handler' }] });
    expect(worker.emittedOf('failed')).toMatchObject([{ error, reason: 'stopped' }]);
  });

  it('counts against the total timeout of the policy from the first start', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'late',
      retry: { ...STEADY, maxAttempts: Infinity, totalTimeout: '25s' },
      run: () => Promise.reject(new Error('no')),
    });
    const { id } = await queue.submit(task, null, { delay: '1h' });
    const worker = startWorker({ tasks: [task] });

    await clock.advance('2h');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', epoch: 3 });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'total-timeout' }]);
  });

  it('stores its error in the run: the latest 20, texts cut to 8192 characters, the stack of the last', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'talkative',
      retry: { maxAttempts: 25, backoff: { type: 'constant', base: 1 }, jitter: 'none' },
      run: () => Promise.reject(new Error('x'.repeat(100_000))),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    const errors = (await queue.get(id))?.errors ?? [];
    expect(errors.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 20 }, (_, index) => index + 6));
    expect(errors[0]?.message).toHaveLength(8_192);
    expect(errors[0]).not.toHaveProperty('stack');
    expect(errors.at(-1)?.stack).toHaveLength(8_192);
  });

  it('keeps its stack while the run waits for another', async () => {
    const { clock, queue, startWorker } = setScene();
    const run = () => Promise.reject(new Error('no'));
    const task = defineTask({ name: 'patient', retry: STEADY, run });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.get(id)).toMatchObject({ state: 'scheduled', errors: [{ message: 'no' }] });
    expect((await queue.get(id))?.errors[0]?.stack).toContain('Error: no');
  });

  it('stores no stack when another attempt follows immediately', async () => {
    const { clock, queue, startWorker } = setScene();
    const retry = { backoff: { type: 'none' }, jitter: 'none', maxAttempts: 2 } as const;
    const run = () => Promise.reject(new Error('no'));
    const task = defineTask({ name: 'hasty', retry, run });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    const [first, second] = (await queue.get(id))?.errors ?? [];
    expect(first).toMatchObject({ epoch: 1, name: 'Error', message: 'no' });
    expect(first).not.toHaveProperty('stack');
    expect(second?.stack).toContain('Error: no');
  });

  it('sends a run without a delay straight back to its lane, at fractions of a millisecond too', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'prompt',
      retry: { maxAttempts: 3, backoff: { type: 'none' }, jitter: 'none' },
      run: async () => {
        await pass(clock, 0.3);
        throw new Error('no');
      },
    });
    const states: unknown[] = [];
    const exchange: typeof broker.exchange = (request) => {
      states.push(...(request.settle ?? []).map(({ next }) => next.state));
      return broker.exchange(request);
    };
    await queue.submit(task, null);
    startWorker({ tasks: [task], broker: { ...broker, exchange } });

    await clock.advance('1s');

    expect(states).toEqual(['submitted', 'submitted', 'failed']);
  });

  it.each([
    ['text', 'text', { name: 'string', message: 'text' }],
    ['undefined', undefined, { name: 'undefined', message: 'undefined' }],
    ['an object', { status: 503 }, { name: 'object', message: '[object Object]' }],
    [
      'one without prototype',
      Object.create(null),
      { name: 'object', message: 'an error that cannot be read' },
    ],
    [
      'an error whose message throws',
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('twice');
        },
      }),
      { name: 'object', message: 'an error that cannot be read' },
    ],
  ])('may throw anything: %s', async (_name, thrown, error) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'odd', retry: { maxAttempts: 1 }, run: () => Promise.reject(thrown) });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.get(id)).toMatchObject({ state: 'failed', errors: [{ epoch: 1, at: 0, ...error }] });
  });
});

describe('an attempt that takes too long', () => {
  it('is stopped by its timeout and retried though retryOn lists others', async () => {
    const { clock, queue, startWorker } = setScene();
    const reasons: unknown[] = [];
    const task = defineTask({
      name: 'slow',
      retry: { ...STEADY, maxAttempts: 2, retryOn: [TypeError], attemptTimeout: '5s' },
      run: (_: null, ctx) => {
        ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason));
        return untilStopped(_, ctx);
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(reasons).toMatchObject([
      { name: 'AttemptTimeoutError', message: 'attempt 1 took longer than 5000 ms' },
      { name: 'AttemptTimeoutError', message: 'attempt 2 took longer than 5000 ms' },
    ]);
    expect(await queue.get(id)).toMatchObject({
      state: 'failed',
      errors: [
        { at: 5_000, name: 'AttemptTimeoutError' },
        { at: 20_000, name: 'AttemptTimeoutError' },
      ],
    });
  });

  it('fails the run when no attempt is left', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'slow',
      retry: { maxAttempts: 1, attemptTimeout: '7s' },
      run: untilStopped,
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', endedAt: 7_000 });
  });

  it('is not retried when stopOn names AttemptTimeoutError', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'slow',
      retry: {
        ...STEADY,
        maxAttempts: 3,
        attemptTimeout: '5s',
        stopOn: [{ name: 'AttemptTimeoutError' }],
      },
      run: untilStopped,
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', epoch: 1 });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'stopped' }]);
  });

  it('has no effect when it ends after it was abandoned, in whatever way', async () => {
    const { clock, queue, startWorker } = setScene();
    const ends: (() => void)[] = [];
    const task = defineTask({
      name: 'zombie',
      retry: { ...STEADY, maxAttempts: 3, attemptTimeout: '5s' },
      run: (_: null, { attempt }) => {
        if (attempt === 3) return 'third';
        return new Promise<string>((resolve, reject) => {
          ends.push(() => (attempt === 1 ? resolve('first') : reject(new Error('second'))));
        });
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], abandonAfter: 0 });

    await clock.advance('20s');
    for (const end of ends) end();
    await clock.advance('10m');

    expect(await queue.get(id)).toMatchObject({
      state: 'completed',
      result: 'third',
      epoch: 3,
      failures: 2,
    });
    expect(worker.emitted.map(({ type }) => type)).toEqual([
      'started',
      'abandoned',
      'retried',
      'started',
      'abandoned',
      'retried',
      'returnedLate',
      'returnedLate',
      'started',
      'completed',
    ]);
  });

  it('frees its slot', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'stuck',
      retry: { maxAttempts: 1, attemptTimeout: '5s' },
      run: (isStuck: boolean, ctx) => (isStuck ? untilStopped(isStuck, ctx) : 'free'),
    });
    const [, second] = await queue.submitMany(task, [true, false]);
    startWorker({ tasks: [task], concurrency: 1 });

    await clock.advance('10s');

    expect(await queue.get(second?.id ?? '')).toMatchObject({ state: 'completed', startedAt: 5_000 });
  });
});
