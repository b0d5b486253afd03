import type { RetryRequest, TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { never, pass, setScene } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '10s' }, jitter: 'none' } as const;

describe('the context of a handler', () => {
  it('has the attempt, the number of allowed attempts, the epoch and the id', async () => {
    const { clock, queue, startWorker } = setScene();
    const seen: unknown[] = [];
    const task = defineTask({
      name: 'curious',
      retry: { ...STEADY, maxAttempts: 2 },
      run: (_: null, { id, attempt, maxAttempts, epoch }) => {
        seen.push({ id, attempt, maxAttempts, epoch });
        throw new Error('no');
      },
    });
    await queue.submit(task, null, { key: 'the-id' });
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(seen).toEqual([
      { id: 'curious@the-id', attempt: 1, maxAttempts: 2, epoch: 1 },
      { id: 'curious@the-id', attempt: 2, maxAttempts: 2, epoch: 2 },
    ]);
  });

  it('has one allowed attempt when the policy is not retryable', async () => {
    const { clock, queue, startWorker } = setScene();
    let seen = 0;
    const task = defineTask({
      name: 'once',
      retry: { maxAttempts: 5, retryable: false },
      run: (_: null, { maxAttempts }) => {
        seen = maxAttempts;
      },
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(seen).toBe(1);
  });

  it('has what is left of the timeout, and Infinity without one', async () => {
    const { clock, queue, startWorker } = setScene();
    const left: number[] = [];
    const run = async (_: null, context: TaskContext): Promise<void> => {
      left.push(context.remainingMs);
      await pass(clock, 3_000);
      left.push(context.remainingMs);
    };
    const limited = defineTask({ name: 'limited', retry: { attemptTimeout: '10s' }, run });
    const unlimited = defineTask({ name: 'unlimited', run });
    await queue.submit(limited, null);
    startWorker({ tasks: [limited, unlimited] });
    await clock.advance('5s');
    await queue.submit(unlimited, null);
    await clock.advance('5s');

    expect(left).toEqual([10_000, 7_000, Infinity, Infinity]);
  });

  it('emits the log event with message and details', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'chatty', run: (_: null, { log }) => log('halfway', { done: 1 }) });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(worker.emittedOf('log')).toEqual([
      { id, task: 'chatty', version: '1', attempt: 1, epoch: 1, message: 'halfway', details: { done: 1 } },
    ]);
  });
});

describe('ctx.retry', () => {
  const asking = (request: RetryRequest | undefined, maxAttempts = 2) =>
    defineTask({
      name: 'asking',
      retry: { ...STEADY, maxAttempts, retryOn: 'nothing', stopOn: [Error] },
      run: (_: null, { attempt, retry }) => (attempt === 1 ? retry(request) : 'done'),
    });

  it.each<[string, RetryRequest | undefined, number]>([
    ['a delay of its own', { delay: '3s' }, 3_000],
    ['no delay', { delay: 0 }, 0],
    ['an instant', { at: 4_000 }, 4_000],
    ['an instant that has passed', { at: -1 }, 0],
    ['the delay, which beats the instant', { delay: 5, at: 4_000 }, 5],
    ['the delay of the policy', undefined, 10_000],
    ['the delay of the policy and an error', { error: new Error('mine') }, 10_000],
  ])('gets %s, whatever the matchers say', async (_name, request, startedAt) => {
    const { clock, queue, startWorker } = setScene();
    const task = asking(request);
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', failures: 1, startedAt: startedAt });
    expect(worker.emittedOf('retried')).toMatchObject([{ reason: 'asked', delayMs: startedAt }]);
  });

  it('records the given error, and a default one without', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'asking',
      retry: { maxAttempts: 3 },
      run: (_: null, { attempt, retry }) => {
        if (attempt === 1) retry({ delay: 1, error: new RangeError('mine') });
        if (attempt === 2) retry({ delay: 1 });
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect((await queue.get(id))?.errors).toMatchObject([
      { name: 'RangeError', message: 'mine' },
      { name: 'Error', message: 'the handler asked for a retry' },
    ]);
  });

  it('keeps the error of the handler, as a cause, when something else of the request is wrong', async () => {
    const { clock, queue, startWorker } = setScene();
    const error = new RangeError('mine');
    const task = asking({ delay: -1, error }, 1);
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(worker.emittedOf('failed')).toMatchObject([{ error: { code: 'INVALID_OPTIONS', cause: error } }]);
  });

  it('fails the run with its error when no attempt is left', async () => {
    const { clock, queue, startWorker } = setScene();
    const error = new RangeError('mine');
    const task = asking({ delay: '1s', error }, 1);
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({
      state: 'failed',
      failures: 1,
      errors: [{ name: 'RangeError' }],
    });
    expect(worker.emittedOf('failed')).toMatchObject([{ error, reason: 'exhausted' }]);
  });

  it.each<[string, unknown]>([
    ['delay', '3 seconds'],
    ['delay', -1],
    ['delay', Number.NaN],
    ['delay', 'Infinity'],
    ['delay', Infinity],
    ['at', Number.NaN],
    ['at', Infinity],
    ['at', '2026-11-21'],
    ['delay', 1e300],
    ['at', 1e300],
    ['delay', null],
    ['at', null],
    ['maxAttempts', 0],
    ['maxAttempts', '3'],
    ['countdown', 3],
  ])('refuses %s: %s with an InvalidOptionsError, which fails the attempt', async (key, value) => {
    const { clock, queue, startWorker } = setScene();
    const task = asking({ [key]: value } as RetryRequest);
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    const run = await queue.get(id);
    expect(run).toMatchObject({ state: 'failed', errors: [{ name: 'InvalidOptionsError' }] });
    expect(run?.errors[0]?.message).toContain(String(value));
  });

  it('never calls retryIf, which is about errors', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'gated',
      retry: { ...STEADY, retryIf: (error) => (error as Error).message.length > 1_000 },
      run: (_: null, { attempt, retry }) => (attempt === 1 ? retry() : 'done'),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', failures: 1 });
  });
});

describe('the signal of a handler', () => {
  it('does not abort while the attempt is running, nor when it has completed', async () => {
    const { clock, queue, startWorker } = setScene();
    let signal: AbortSignal | undefined;
    const task = defineTask({
      name: 'calm',
      retry: { attemptTimeout: '1m' },
      run: async (_: null, context) => {
        signal = context.signal;
        await pass(clock, 30_000);
      },
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('2m');

    expect(signal?.aborted).toBe(false);
  });

  it('has already aborted when a handler first reads it after its attempt was stopped', async () => {
    const { clock, queue, startWorker } = setScene();
    let signal: AbortSignal | undefined;
    const task = defineTask({
      name: 'late',
      retry: { maxAttempts: 1, attemptTimeout: '5s' },
      run: async (_: null, context) => {
        await pass(clock, 10_000);
        signal = context.signal;
      },
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
  });

  it('starts no handler whose attempt ended while its payload was being checked', async () => {
    const { clock, queue, startWorker } = setScene();
    let isCalled = false;
    let isSubmitted = false;
    const task = defineTask({
      name: 'slow-schema',
      retry: { maxAttempts: 1, attemptTimeout: '5s' },
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: async (value) => {
            if (isSubmitted) await pass(clock, 10_000);
            isSubmitted = true;
            return { value };
          },
        },
      },
      run: () => {
        isCalled = true;
        return never();
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', errors: [{ name: 'AttemptTimeoutError' }] });
    expect(isCalled).toBe(false);
  });
});
