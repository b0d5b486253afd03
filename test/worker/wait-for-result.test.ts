import { getEventListeners } from 'node:events';
import { InvalidOptionsError } from '@retry/core';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask, RunFailedError } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { pass, setScene } from './scene.ts';

const task = defineTask({ name: 'double', run: (number: number) => number * 2 });
const doomed = defineTask({
  name: 'doomed',
  retry: { maxAttempts: 1 },
  run: () => Promise.reject(new RangeError('too far')),
});

describe('waitForResult', () => {
  it('returns the result of a run that completes later, within a second of its end', async () => {
    const { clock, queue, startWorker } = setScene();
    const slow = defineTask({ name: 'slow', run: () => pass(clock, 10_000).then(() => ({ ok: true })) });
    const { id } = await queue.submit(slow, null);
    startWorker({ tasks: [slow] });

    let result: unknown;
    void queue.waitForResult(id).then((given) => {
      result = given;
    });
    await clock.advance('10s');
    expect(result).toBeUndefined();
    await clock.advance('1s');

    expect(result).toEqual({ ok: true });
  });

  it('returns a result within a second of the end of a freeze of the broker', async () => {
    const { clock, broker, queue } = setScene();
    const slow = defineTask({ name: 'slow', run: (number: number) => number });
    let isFrozen = true;
    const get: typeof broker.get = async (ids, options) => {
      const runs = await broker.get(ids, options);
      if (isFrozen) await pass(clock, 20_000);
      isFrozen = false;
      return runs;
    };
    const freezing = createQueue({ broker: { ...broker, get }, clock });
    const { id } = await queue.submit(slow, 7);
    let result: unknown;
    void freezing.waitForResult(id).then((given) => {
      result = given;
    });

    await clock.advance('10s');
    const worker = createWorker({ broker, clock, tasks: [slow], signals: [] });
    worker.start();
    await clock.advance('11s');
    await worker.stop();

    expect(result).toBe(7);
  });

  it('rejects with the state and the last error when the run fails', async () => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(doomed, null, { key: 'run-1' });
    startWorker({ tasks: [doomed] });
    await clock.advance(0);

    const error: unknown = await queue.waitForResult(id).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({
      code: 'RUN_FAILED',
      message: 'run doomed@run-1 is failed; its latest error: RangeError: too far',
      state: 'failed',
      cause: { name: 'RangeError', message: 'too far', epoch: 1 },
    });
  });

  it.each([
    ['a message of 200 characters', 'x'.repeat(200), 'x'.repeat(200)],
    ['the first 199 of a longer one', 'x'.repeat(201), `${'x'.repeat(199)}…`],
    ['no password', 'connect to postgres://me:hunter2@db failed', 'connect to postgres://***@db failed'],
  ])('says what failed by %s', async (_what, message, shown) => {
    const { queue } = setScene();
    const { id } = await queue.submit(task, 1);
    await queue.fail(id, new TypeError(message));

    const error: unknown = await queue.waitForResult(id).catch((caught: unknown) => caught);

    expect(String(error)).toBe(`RunFailedError: run ${id} is failed; its latest error: TypeError: ${shown}`);
    expect(error).toMatchObject({ errorMessage: message, cause: { message } });
  });

  it('rejects when the run is cancelled', async () => {
    const { queue } = setScene();
    const { id } = await queue.submit(task, 1);
    await queue.cancel(id);

    await expect(queue.waitForResult(id)).rejects.toMatchObject({ state: 'cancelled' });
  });

  it('says that the broker has not answered, where it has not', async () => {
    const { clock, broker } = setScene();
    const queue = createQueue({ broker: { ...broker, get: () => new Promise(() => {}) }, clock });
    const { id } = await queue.submit(task, 1);

    const waiting = queue.waitForResult(id, { timeout: '1s' }).catch((caught: unknown) => caught);
    await clock.advance('1s');

    expect(await waiting).toMatchObject({
      code: 'WAIT_TIMEOUT',
      message: `run ${id} was not read within 1s: the broker has not answered. It is not cancelled. Use a longer timeout, or check that the broker can be reached.`,
    });
  });

  it.each([0, '5s'] as const)('rejects after a timeout of %s and leaves no timer', async (timeout) => {
    const { clock, queue } = setScene();
    const { id } = await queue.submit(task, 1);

    const waiting = queue.waitForResult(id, { timeout }).catch((caught: unknown) => caught);
    await clock.advance('5s');

    expect(await waiting).toMatchObject({
      name: 'WaitTimeoutError',
      code: 'WAIT_TIMEOUT',
      state: 'submitted',
    });
    expect(clock.now()).toBe(5_000);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('refuses an invalid timeout', async () => {
    const { queue } = setScene();
    const { id } = await queue.submit(task, 1);

    await expect(queue.waitForResult(id, { timeout: 'soon' as never })).rejects.toThrow(InvalidOptionsError);
  });

  it('rejects immediately with the reason of its signal, and the run keeps running', async () => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 1, { delay: '1m' });
    const controller = new AbortController();
    const reason = new Error('enough');

    const waiting = queue.waitForResult(id, { signal: controller.signal }).catch((caught: unknown) => caught);
    await clock.advance('10s');
    controller.abort(reason);

    expect(await waiting).toBe(reason);
    expect(clock.pendingTimers()).toBe(0);
    startWorker({ tasks: [task] });
    await clock.advance('1m');
    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });

  it('has one listener on a signal for all waits, and none when they have ended', async () => {
    const { clock, queue, startWorker } = setScene();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const { id } = await queue.submit(task, 1, { delay: '5s' });

    const waits = Array.from({ length: 20 }, () => queue.waitForResult(id, { signal }));
    await clock.advance('1s');
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    startWorker({ tasks: [task] });
    await clock.advance('10s');
    await Promise.all(waits);

    expect(added).toHaveBeenCalledTimes(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects every wait of a signal, and only these', async () => {
    const { clock, queue } = setScene();
    const { id } = await queue.submit(task, 1, { delay: '1m' });
    const [first, second] = [new AbortController(), new AbortController()];
    const waitsOf = ({ signal }: AbortController) =>
      [1, 2].map(() => queue.waitForResult(id, { signal }).catch((error: unknown) => error));

    const [ofFirst, ofSecond] = [waitsOf(first), waitsOf(second)];
    await clock.advance('1s');
    first.abort('enough');
    const rejected = await Promise.all(ofFirst);
    const other = await Promise.race([...ofSecond, Promise.resolve('waits')]);
    second.abort('too');

    expect([rejected, other]).toEqual([['enough', 'enough'], 'waits']);
    expect(await Promise.all(ofSecond)).toEqual(['too', 'too']);
  });

  it('reacts to a signal that aborts during a call of the broker', async () => {
    const { clock, broker, queue } = setScene();
    const controller = new AbortController();
    const reason = new Error('enough');
    const { id } = await queue.submit(task, 1);
    const asking = createQueue({
      broker: {
        ...broker,
        get: (ids) => {
          controller.abort(reason);
          return broker.get(ids);
        },
      },
      clock,
    });

    await expect(asking.waitForResult(id, { signal: controller.signal })).rejects.toBe(reason);
  });

  it('rejects after 30 seconds by default', async () => {
    const { clock, queue } = setScene();
    const submitted = await queue.submit(task, 1);

    const waiting = queue.waitForResult(submitted).catch((caught: unknown) => caught);
    await clock.advance('30s');

    expect(await waiting).toMatchObject({ name: 'WaitTimeoutError', id: submitted.id, state: 'submitted' });
    expect(clock.pendingTimers()).toBe(0);
  });

  it("waits for ever where the timeout is 'Infinity'", async () => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 21);
    const waiting = queue.waitForResult(id, { timeout: 'Infinity' });
    await clock.advance('1h');

    startWorker({ tasks: [task] });
    await clock.advance('2s');

    expect(await waiting).toBe(42);
  });

  it('has the type of what the handler of a submitted task returns', async () => {
    const { queue } = setScene();
    const submitted = await queue.submit(task, 1);
    const [first] = await queue.submitMany(task, [1]);

    expectTypeOf(() => queue.waitForResult(submitted)).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(() => queue.waitForResult(first ?? submitted)).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(() => queue.waitForResult('any')).returns.resolves.toEqualTypeOf<unknown>();
  });

  it('rejects with an Error for its cause, and the name and message of what failed', async () => {
    const { clock, queue, startWorker } = setScene();
    const submitted = await queue.submit(doomed, null);
    startWorker({ tasks: [doomed] });
    await clock.advance('1s');

    const error: unknown = await queue.waitForResult(submitted).catch((caught: unknown) => caught);

    expect(error).toMatchObject({ state: 'failed', errorName: 'RangeError', errorMessage: 'too far' });
    expect((error as Error).cause).toBeInstanceOf(Error);
    expect(String((error as Error).cause)).toBe('RangeError: too far');
    expect(((error as Error).cause as Error).stack).toMatch(/^RangeError: too far\n\s+at /);
  });

  it('has no cause when no attempt failed', async () => {
    const { queue } = setScene();
    const { id } = await queue.submit(task, 1);
    await queue.cancel(id);

    const error: unknown = await queue.waitForResult(id).catch((caught: unknown) => caught);

    expect(error).toMatchObject({ state: 'cancelled', errorName: undefined, errorMessage: undefined });
    expect(error).not.toHaveProperty('cause');
  });

  it('waits for one run on behalf of any number of callers, each with its own timeout', async () => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 21, { delay: '10s' });
    startWorker({ tasks: [task] });

    const answers = Promise.allSettled([
      queue.waitForResult(id),
      queue.waitForResult(id, { timeout: '5s' }),
      queue.waitForResult(id, { timeout: '1m' }),
    ]);
    await clock.advance('12s');

    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('a run that is not stored', () => {
  const forgetful = async (key?: string) => {
    const clock = createTestClock();
    const broker = createMemoryBroker({ clock, keepCompleted: { count: 0 } });
    const queue = createQueue({ broker, clock });
    const worker = createWorker({ broker, clock, tasks: [task], signals: [] });
    worker.start();
    const submitted = await queue.submit(task, 1, { key });
    await clock.advance('1s');
    await worker.stop();
    return { queue, submitted, stranger: createQueue({ broker, clock }) };
  };
  const forgotten = { name: 'RunForgottenError', code: 'RUN_FORGOTTEN', state: 'forgotten' };

  it('is forgotten for the queue that submitted it', async () => {
    const { queue, submitted } = await forgetful();

    await expect(queue.waitForResult(submitted)).rejects.toMatchObject({ ...forgotten, id: submitted.id });
    await expect(queue.waitForResult(submitted.id)).rejects.toMatchObject(forgotten);
  });

  it('is forgotten for a queue that did not submit it', async () => {
    const { stranger, submitted } = await forgetful();

    await expect(stranger.waitForResult(submitted.id)).rejects.toMatchObject(forgotten);
  });

  it('is forgotten for all who know its key: it has not failed', async () => {
    const { queue, stranger, submitted } = await forgetful('order-7');

    await expect(queue.waitForResult('double@order-7')).rejects.toMatchObject(forgotten);
    await expect(stranger.waitForResult(submitted)).rejects.toMatchObject(forgotten);
    await expect(stranger.waitForResult('double@order-7')).rejects.toMatchObject(forgotten);
  });

  it('is forgotten when it existed during the wait', async () => {
    const { clock, broker, queue } = setScene();
    await broker.submit([{ id: 'theirs', lane: 'double@1', payload: '1' }]);
    const waiting = queue.waitForResult('theirs').catch((error: unknown) => error);
    await clock.advance('2s');

    await cancelRuns(broker, ['theirs']);
    await discardRuns(broker, ['theirs']);
    await clock.advance('2s');

    expect(await waiting).toMatchObject(forgotten);
  });

  it('rejects immediately, and in the same way, where there never was one', async () => {
    const { queue } = setScene();

    await expect(queue.waitForResult('no-such-run')).rejects.toMatchObject({
      ...forgotten,
      id: 'no-such-run',
    });
  });
});
