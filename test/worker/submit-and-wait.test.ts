import { getEventListeners } from 'node:events';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask, RunForgottenError, WaitTimeoutError } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { never, pass, setScene } from './scene.ts';

const double = defineTask({ name: 'double', run: (number: number) => number * 2 });
const doomed = defineTask({
  name: 'doomed',
  retry: { maxAttempts: 1 },
  run: (_: null): string => {
    throw new RangeError('too far');
  },
});

/** A broker that keeps no ended run, and a queue over it. */
function forgetfulScene() {
  const clock = createTestClock();
  const broker = createMemoryBroker({ clock, keepCompleted: { count: 0 } });
  const worker = createWorker({ broker, clock, tasks: [double, doomed], signals: [], concurrency: 50 });
  return { clock, broker, worker, queue: createQueue({ broker, clock }) };
}

describe('submitAndWait', () => {
  it('returns what the handler returns', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [double] });

    const result = queue.submitAndWait(double, 21);
    await clock.advance(0);

    expect(await result).toBe(42);
  });

  it('leaves no timer', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [double] });
    await queue.submit(double, 1);
    await clock.advance(0);
    const timersOfWorker = clock.pendingTimers();

    const result = queue.submitAndWait(double, 21);
    await clock.advance(0);
    await result;

    expect(clock.pendingTimers()).toBeLessThanOrEqual(timersOfWorker);
  });

  it('has the type of what the handler returns', () => {
    const { queue } = setScene();
    const slow = defineTask({ name: 'slow', run: async (to: string) => ({ to, isSent: true }) });

    const one = () => queue.submitAndWait(double, 1);
    const other = () => queue.submitAndWait(slow, 'ann');

    expectTypeOf(one).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(other).returns.resolves.toEqualTypeOf<{ to: string; isSent: boolean }>();
  });

  it('gets its result whatever retention forgets, and leaves the run to retention then', async () => {
    const { clock, broker, worker, queue } = forgetfulScene();
    worker.start();

    const results = Promise.all(
      Array.from({ length: 200 }, (_, index) => queue.submitAndWait(double, index)),
    );
    await clock.advance('2s');

    expect(await results).toEqual(Array.from({ length: 200 }, (_, index) => index * 2));
    expect(await broker.audit()).toMatchObject({ forgotten: 200, ended: { completed: 0 }, unbalanced: 0 });
    await worker.stop();
  });

  it('rejects with what failed', async () => {
    const { clock, worker, queue } = forgetfulScene();
    worker.start();

    const failure = queue.submitAndWait(doomed, null).catch((error: unknown) => error);
    await clock.advance('1s');

    expect(await failure).toMatchObject({
      code: 'RUN_FAILED',
      state: 'failed',
      errorName: 'RangeError',
      errorMessage: 'too far',
    });
    await worker.stop();
  });

  it('accepts the options of submit', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [double] });

    const result = queue.submitAndWait(double, 21, { key: 'a', delay: '5s' });
    await clock.advance('4s');
    expect(await queue.get('double@a')).toMatchObject({ state: 'scheduled' });
    await clock.advance('2s');

    expect(await result).toBe(42);
  });

  it('of a known key waits for the first submission', async () => {
    const { clock, queue, startWorker } = setScene();
    const first = queue.submitAndWait(double, 1, { key: 'a' });
    const second = queue.submitAndWait(double, 2, { key: 'a' });

    startWorker({ tasks: [double] });
    await clock.advance('1s');

    expect(await Promise.all([first, second])).toEqual([2, 2]);
  });

  it('of a key whose run is forgotten rejects with a RunForgottenError', async () => {
    const { clock, worker, queue } = forgetfulScene();
    worker.start();
    await queue.submit(double, 1, { key: 'a' });
    await clock.advance('1s');

    await expect(queue.submitAndWait(double, 2, { key: 'a' })).rejects.toMatchObject({
      name: 'RunForgottenError',
      code: 'RUN_FORGOTTEN',
      id: 'double@a',
    });
    await worker.stop();
  });

  it('rejects after its timeout, and the run keeps running', async () => {
    const { clock, queue, startWorker } = setScene();

    const failure = queue
      .submitAndWait(double, 21, { key: 'a', timeout: '2s' })
      .catch((error: unknown) => error);
    await clock.advance('2s');

    expect(await failure).toBeInstanceOf(WaitTimeoutError);
    expect(await failure).toMatchObject({ id: 'double@a', state: 'submitted' });
    expect(clock.pendingTimers()).toBe(0);
    startWorker({ tasks: [double] });
    await clock.advance('1s');
    expect(await queue.get('double@a')).toMatchObject({ state: 'completed' });
  });

  it('rejects after its timeout while the submission itself hangs', async () => {
    const { clock, broker } = setScene();
    const queue = createQueue({ broker: { ...broker, submit: never }, clock });

    const failure = queue.submitAndWait(double, 21).catch((error: unknown) => error);
    await clock.advance('30s');

    expect(await failure).toMatchObject({ code: 'WAIT_TIMEOUT', state: 'unsubmitted' });
    expect(clock.pendingTimers()).toBe(0);
  });

  it('ends immediately when its signal aborts while the payload is written', async () => {
    const { queue } = setScene();
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('enough');
    const payload = {
      toJSON: () => {
        controller.abort(reason);
        return 1;
      },
    };
    const any = defineTask({ name: 'any', run: (_: unknown) => {} });

    await expect(queue.submitAndWait(any, payload, { signal })).rejects.toBe(reason);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends immediately when its signal aborts while the payload is validated', async () => {
    const { queue } = setScene();
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('enough');
    const validate = (value: unknown) => {
      controller.abort(reason);
      return { value };
    };
    const schema = { '~standard': { version: 1, vendor: 'test', validate } } as const;
    const checked = defineTask({ name: 'checked', schema, run: () => {} });

    await expect(queue.submitAndWait(checked, 1, { signal })).rejects.toBe(reason);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('submits nothing when its signal has aborted, and ends immediately when it aborts', async () => {
    const { clock, queue } = setScene();
    const controller = new AbortController();
    const reason = new Error('enough');

    const waiting = queue
      .submitAndWait(double, 1, { signal: controller.signal })
      .catch((error: unknown) => error);
    await clock.advance('1s');
    controller.abort(reason);

    expect(await waiting).toBe(reason);
    await expect(queue.submitAndWait(double, 2, { signal: controller.signal })).rejects.toBe(reason);
    expect((await queue.counts()).created).toBe(1);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('rejects with what the submission is rejected with', async () => {
    const { clock, queue } = setScene();

    await expect(queue.submitAndWait(double, Number.NaN)).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
    expect(clock.pendingTimers()).toBe(0);
  });

  it('lets its result be forgotten a minute after the timeout when no caller reads it', async () => {
    const { clock, broker, worker, queue } = forgetfulScene();
    const controller = new AbortController();
    const left = queue.submitAndWait(double, 1, { signal: controller.signal }).catch(() => 'left');
    await clock.advance(0);
    controller.abort();
    expect(await left).toBe('left');
    worker.start();
    await clock.advance('1s');
    expect(await broker.audit()).toMatchObject({ ended: { completed: 1 }, forgotten: 0 });

    await clock.advance('91s');
    await broker.attend();

    expect(await broker.audit()).toMatchObject({ ended: { completed: 0 }, forgotten: 1 });
    await worker.stop();
  });
});

describe('submit with keepResult', () => {
  it('keeps the result until it is waited for', async () => {
    const { clock, worker, queue } = forgetfulScene();
    worker.start();
    const submitted = await queue.submit(double, 21, { keepResult: '1m' });
    const other = await queue.submit(double, 22);
    await clock.advance('30s');

    expect(await queue.waitForResult(submitted)).toBe(42);
    await expect(queue.waitForResult(other)).rejects.toBeInstanceOf(RunForgottenError);
    await expect(queue.waitForResult(submitted.id)).rejects.toBeInstanceOf(RunForgottenError);
    await worker.stop();
  });

  it('is read by another queue, too, which does not take it from the queue that submitted it', async () => {
    const { clock, broker, worker, queue } = forgetfulScene();
    const other = createQueue({ broker, clock });
    worker.start();
    const submitted = await queue.submit(double, 21, { keepResult: '1m' });
    await clock.advance('1s');

    expect(await other.waitForResult(submitted)).toBe(42);
    expect(await queue.waitForResult(submitted)).toBe(42);
    await worker.stop();
  });

  it('forgets the result when keepResult has passed', async () => {
    const { clock, worker, queue } = forgetfulScene();
    worker.start();
    const submitted = await queue.submit(double, 21, { keepResult: '1m' });
    await clock.advance('62s');

    await expect(queue.waitForResult(submitted)).rejects.toMatchObject({ code: 'RUN_FORGOTTEN' });
    await worker.stop();
  });
});

describe('many that wait', () => {
  it('are served by few calls of the broker: 5 000 at the same time all get their results', async () => {
    const broker = createMemoryBroker({ keepCompleted: { count: 100 } });
    const own = { ...broker };
    const get = vi.spyOn(own, 'get');
    const queue = createQueue({ broker: own });
    const worker = createWorker({ broker, tasks: [double], signals: [], concurrency: 100, prefetch: 200 });
    worker.start();

    const results = await Promise.all(
      Array.from({ length: 5_000 }, (_, index) => queue.submitAndWait(double, index)),
    );

    expect(results).toEqual(Array.from({ length: 5_000 }, (_, index) => index * 2));
    expect(Math.max(...get.mock.calls.map(([ids]) => ids.length))).toBeLessThanOrEqual(500);
    expect(get.mock.calls.length).toBeLessThan(2_500);
    await worker.stop();
    expect(await broker.audit()).toMatchObject({ ended: { completed: 100 }, unbalanced: 0 });
  });

  it('get their results while slow runs are before theirs', async () => {
    const clock = createTestClock();
    const broker = createMemoryBroker({ clock, keepCompleted: { count: 0 } });
    const slow = defineTask({ name: 'slow', run: () => pass(clock, 600_000) });
    const queue = createQueue({ broker, clock });
    const worker = createWorker({ broker, clock, tasks: [slow, double], signals: [], concurrency: 2_000 });
    worker.start();
    const slowOnes = Array.from({ length: 700 }, () =>
      queue.submitAndWait(slow, undefined, { timeout: '20m' }).catch((error: unknown) => error),
    );
    await clock.advance('10s');

    const quick = Promise.all(Array.from({ length: 300 }, (_, index) => queue.submitAndWait(double, index)));
    await clock.advance('25s');

    expect(await quick).toHaveLength(300);
    await clock.advance('11m');
    expect(await Promise.all(slowOnes)).toEqual(Array(700).fill(null));
    await worker.stop();
  });

  it('of which none is kept are polled together, at most 500 in a call', async () => {
    const { clock, broker, startWorker } = setScene();
    const own = { ...broker };
    const get = vi.spyOn(own, 'get');
    const queue = createQueue({ broker: own, clock });
    const submitted = await queue.submitMany(
      double,
      Array.from({ length: 1_100 }, (_, index) => index),
    );

    const results = Promise.all(submitted.map((one) => queue.waitForResult(one)));
    await clock.advance('10s');
    const callsBefore = get.mock.calls.length;
    startWorker({ tasks: [double], concurrency: 2_000 });
    await clock.advance('2s');

    expect(await results).toHaveLength(1_100);
    // About fifteen polls in the first seconds, then one a second, each of three calls.
    expect(callsBefore).toBeLessThan(90);
    expect(Math.max(...get.mock.calls.map(([ids]) => ids.length))).toBe(500);
  });
});

describe('a queue without waiting callers', () => {
  it('neither polls nor listens', async () => {
    const { clock, broker } = setScene();
    const own = { ...broker };
    const get = vi.spyOn(own, 'get');
    const wait = vi.spyOn(own, 'wait');
    const queue = createQueue({ broker: own, clock });

    await queue.submit(double, 1, { keepResult: '1m' });
    await queue.submit(double, 2);
    await clock.advance('1m');

    expect(get).not.toHaveBeenCalled();
    expect(wait).not.toHaveBeenCalled();
    expect(clock.pendingTimers()).toBe(0);
  });
});

describe('waiting while the broker fails', () => {
  it('keeps waiting, and emits an error event', async () => {
    const { clock, broker, startWorker } = setScene();
    let isDown = true;
    const get: Broker['get'] = (ids, options) =>
      isDown ? Promise.reject(new Error('down')) : broker.get(ids, options);
    const queue = createQueue({ broker: { ...broker, get }, clock });
    const errors: unknown[] = [];
    queue.on('error', (error) => errors.push(error));
    startWorker({ tasks: [double] });

    const result = queue.submitAndWait(double, 21);
    await clock.advance('3s');
    isDown = false;
    await clock.advance('2s');

    expect(await result).toBe(42);
    expect(errors[0]).toMatchObject({ error: { message: 'down' }, doing: 'polling for results' });
    expect(errors.length).toBeLessThan(25);
  });

  it('has the cause in the error of the timeout', async () => {
    const { clock, broker } = setScene();
    const get: Broker['get'] = () => Promise.reject(new Error('down'));
    const queue = createQueue({ broker: { ...broker, get }, clock });
    queue.on('error', () => {});

    const failure = queue.submitAndWait(double, 21).catch((error: unknown) => error);
    await clock.advance('31s');

    expect(await failure).toMatchObject({ code: 'WAIT_TIMEOUT', cause: { message: 'down' } });
    expect(clock.pendingTimers()).toBe(0);
  });

  it('rejects when the broker is closed, without an error event', async () => {
    const clock = createTestClock();
    const broker = createMemoryBroker({ clock });
    const queue = createQueue({ broker, clock });
    const errors: unknown[] = [];
    queue.on('error', (error) => errors.push(error));

    const failure = queue.submitAndWait(double, 21, { timeout: 'Infinity' }).catch((error: unknown) => error);
    await clock.advance('3s');
    await broker.close();
    await clock.advance('2s');

    expect(await failure).toMatchObject({ code: 'BROKER_CLOSED' });
    expect(errors).toEqual([]);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('polls as well where notifications are lost', async () => {
    const { clock, broker, startWorker } = setScene();
    const wait: Broker['wait'] = ({ signal }) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
    const queue = createQueue({ broker: { ...broker, wait }, clock });
    startWorker({ tasks: [double] });

    const result = queue.submitAndWait(double, 21, { delay: '20s' });
    await clock.advance('22s');

    expect(await result).toBe(42);
  });

  it('refuses only the run that cannot be read', async () => {
    const { clock, broker, startWorker } = setScene();
    const get: Broker['get'] = (ids, options) =>
      ids.includes('double@bad')
        ? Promise.reject(new RangeError('cannot be read'))
        : broker.get(ids, options);
    const queue = createQueue({ broker: { ...broker, get }, clock });
    startWorker({ tasks: [double] });

    const answers = Promise.allSettled(
      ['good', 'bad', 'fine'].map((key) => queue.submitAndWait(double, 21, { key })),
    );
    await clock.advance('1s');

    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('unattended', () => {
  it('returns the lanes with waiting runs and no live worker', async () => {
    const { broker, queue } = setScene();
    await queue.submitMany(double, [1, 2]);

    expect(await queue.unattended()).toEqual([{ lane: 'double@1', waiting: 2 }]);
    await broker.attend({ worker: 'w', lanes: ['double@1'], ttlMs: 1_000 });
    expect(await queue.unattended()).toEqual([]);
  });
});
