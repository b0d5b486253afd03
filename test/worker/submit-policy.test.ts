import type { PolicyInput } from '@retry/core';
import { definePolicy, isSerializable, parsePolicy, TASK_POLICY } from '@retry/core';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyInputs } from '../support/arbitraries.ts';
import { refusalOf, refusedPaths } from '../support/wrong-input.ts';
import { setScene, untilStopped } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '10s' }, jitter: 'none' } as const;

describe('submit with a policy of its own', () => {
  it('is retried by it, while other runs are retried by the policy of the task', async () => {
    const { clock, queue, startWorker } = setScene();
    const seen: string[] = [];
    const task = defineTask({
      name: 'flaky',
      retry: { ...STEADY, maxAttempts: 2 },
      run: (name: string, { attempt, maxAttempts }) => {
        seen.push(`${name} ${attempt}/${maxAttempts} at ${clock.now()}`);
        throw new Error('no');
      },
    });
    const own = { maxAttempts: 3, backoff: { type: 'constant', base: '1m' }, jitter: 'none' } as const;
    const { id } = await queue.submit(task, 'own', { retry: own });
    const other = await queue.submit(task, 'task', {});
    const worker = startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(seen).toEqual([
      'own 1/3 at 0',
      'task 1/2 at 0',
      'task 2/2 at 10000',
      'own 2/3 at 60000',
      'own 3/3 at 120000',
    ]);
    expect(worker.emittedOf('failed')).toMatchObject([
      { id: other.id, reason: 'exhausted' },
      { id, reason: 'exhausted' },
    ]);
    expect(parsePolicy((await queue.get(id))?.retry)).toEqual(definePolicy({ ...TASK_POLICY, ...own }));
    expect((await queue.get(other.id))?.retry).toBeUndefined();
  });

  it('has its attempt timeout, total time and initial delay', async () => {
    const { clock, queue, startWorker } = setScene();
    const left: number[] = [];
    const task = defineTask({
      name: 'slow',
      run: (_: null, ctx) => {
        left.push(ctx.remainingMs);
        return untilStopped(_, ctx);
      },
    });
    const retry = { ...STEADY, initialDelay: '5s', attemptTimeout: '4s', totalTimeout: '20s' } as const;
    const { id } = await queue.submit(task, null, { retry });
    const worker = startWorker({ tasks: [task] });

    await clock.advance('2m');

    expect(left).toEqual([4_000, 4_000]);
    expect(await queue.get(id)).toMatchObject({ state: 'failed', firstStartedAt: 5_000, endedAt: 23_000 });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'total-timeout' }]);
  });

  it('decides about ctx.retry and about stalls', async () => {
    const { clock, queue, startWorker } = setScene();
    const asking = defineTask({ name: 'asking', run: (_: null, { retry }) => retry({ delay: '1s' }) });
    const silent = defineTask({ name: 'silent', heartbeat: '1s', maxStalls: 9, run: untilStopped });
    const once = await queue.submit(asking, null, { retry: { maxAttempts: 1 } });
    const stalling = await queue.submit(silent, null, { retry: { ...STEADY, maxAttempts: 2 } });
    startWorker({ tasks: [asking, silent] });

    await clock.advance('5m');

    expect(await queue.get(once.id)).toMatchObject({ state: 'failed', failures: 1 });
    expect(await queue.get(stalling.id)).toMatchObject({ state: 'failed', stalls: 2 });
  });

  it('decides about the run of a crashed worker', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const task = defineTask({ name: 'lost', run: () => {} });
    const { id } = await queue.submit(task, null, { retry: { maxAttempts: 1 } });
    const lanes = new Map([[task.lane, 1]]);
    await broker.exchange({ claim: { worker: 'dead', requestId: 'a', leaseMs: 10, limit: 1, lanes } });
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', stalls: 1, epoch: 1 });
  });

  it('is the policy of all runs of submitMany, or of each', async () => {
    const { queue } = setScene();
    const task = defineTask({ name: 'many', run: (_: number) => {} });
    const submitted = await queue.submitMany(task, [1, 2], {
      retry: { maxAttempts: 7 },
      each: (payload) => (payload === 2 ? { retry: { maxAttempts: 8 } } : undefined),
    });

    const runs = await Promise.all(submitted.map(({ id }) => queue.get(id)));

    expect(runs.map((run) => run?.retry?.maxAttempts)).toEqual([7, 8]);
  });

  it('may be a policy of definePolicy, which is kept as it is', async () => {
    const { queue } = setScene();
    const task = defineTask({ name: 'defined', run: () => {} });
    const policy = definePolicy({
      maxAttempts: 'Infinity',
      retryOn: [{ message: { glob: 'busy*', ignoreCase: true } }],
    } as PolicyInput);

    const { id } = await queue.submit(task, null, { retry: policy });

    expect(parsePolicy((await queue.get(id))?.retry)).toEqual(policy);
  });

  it('means the same when it is read again, for every policy that can be written', async () => {
    const broker = createMemoryBroker();
    const queue = createQueue({ broker });
    const task = defineTask({ name: 'any', run: () => {} });
    await fc.assert(
      fc.asyncProperty(policyInputs, async (input) => {
        fc.pre(isSerializable(definePolicy(input)));
        const { id } = await queue.submit(task, null, { retry: input });
        const asTask = defineTask({ name: 'other', run: () => {}, retry: input });

        expect(parsePolicy((await queue.get(id))?.retry)).toEqual(asTask.retry);
      }),
    );
  });

  it.each([
    [{ maxAttempts: 0 }, ['retry.maxAttempts']],
    [{ retries: 3 }, ['retry.retries']],
    [{ backoff: { type: 'constant', base: 'soon' } }, ['retry.backoff.base']],
    [{ retryIf: () => true }, ['retry.retryIf']],
    [{ retryOn: [{ message: /^(a+)+$/ }] }, ['retry.retryOn[0]']],
    [{ retryOn: [{ message: { pattern: '^(a+)+$' } }] }, ['retry.retryOn[0].message']],
    [{ retryOn: [TypeError, { code: 'E' }, () => true] }, ['retry.retryOn[0]', 'retry.retryOn[2]']],
    [{ backoff: { type: 'custom', strategy: () => 5 } }, ['retry.backoff.strategy']],
    [{ backoff: { type: 'custom', strategy: 'unknown' } }, ['retry.backoff.strategy']],
    [{ retryOn: Array(2_000).fill({ code: 'ECONNRESET' }) }, ['retry']],
    [5, ['retry']],
    [null, ['retry']],
  ])('refuses %o before anything is sent', async (retry, paths) => {
    const { queue } = setScene();
    const task = defineTask({ name: 'checked', run: () => {} });

    expect(await refusedPaths(() => queue.submit(task, null, { retry: retry as never }))).toEqual(paths);
    const each = () => ({ retry: retry as never });
    expect(await refusedPaths(() => queue.submitMany(task, [null], { each }))).toEqual(
      paths.map((path) => `each(0).${path}`),
    );
    expect((await queue.counts()).created).toBe(0);
  });

  it('refuses a policy that needs a registry, which no worker has', async () => {
    const { queue } = setScene();
    const task = defineTask({ name: 'checked', run: () => {} });
    const named = definePolicy(
      { backoff: { type: 'custom', strategy: 'mine' } },
      { strategies: { mine: () => 5 } },
    );

    const { problems } = await refusalOf(() => queue.submit(task, null, { retry: named }));

    expect(problems).toMatchObject([
      { path: 'retry.backoff.strategy', cure: expect.stringContaining('give functions to the task') },
    ]);
  });

  it.each([
    '{',
    '[]',
    '{"maxAttempts":0}',
    '{"unheardOf":1}',
    '{"retryOn":[{"message":{"pattern":"^(a+)+$"}}]}',
    '{"backoff":{"type":"custom","strategy":"mine"}}',
  ])('becomes a dead letter when the worker cannot read it: %s', async (retry) => {
    const { clock, broker, startWorker } = setScene();
    let calls = 0;
    const task = defineTask({
      name: 'strange',
      run: () => {
        calls += 1;
      },
    });
    await broker.submit([{ id: 'strange', lane: task.lane, payload: 'null', retry }]);
    await broker.submit([{ id: 'lost', lane: 'lost@1', payload: 'null', retry }]);
    const lost = defineTask({ name: 'lost', run: () => {} });
    const lanes = new Map([[lost.lane, 1]]);
    await broker.exchange({ claim: { worker: 'dead', requestId: 'a', leaseMs: 10, limit: 1, lanes } });
    const worker = startWorker({ tasks: [task, lost] });

    await clock.advance('1m');

    expect(calls).toBe(0);
    for (const id of ['strange', 'lost'])
      expect((await broker.get([id]))[0]).toMatchObject({
        state: 'failed',
        retry,
        errors: [
          {
            name: 'InvalidOptionsError',
            message: expect.stringMatching(/^invalid policy of the run\n- retry/),
          },
        ],
      });
    expect(worker.emittedOf('failed').map(({ reason }) => reason)).toEqual(['unreadable', 'unreadable']);
  });

  it('decides which runs have attempts left, for a redrive that keeps them', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'doomed',
      retry: { maxAttempts: 1 },
      run: () => {
        throw Object.assign(new Error('no'), { name: 'Stop' });
      },
    });
    const stopOn = [{ name: 'Stop' }];
    const more = await queue.submit(task, null, { retry: { maxAttempts: 5, stopOn } });
    await queue.submit(task, null);
    startWorker({ tasks: [task] });
    await clock.advance('1s');

    const redriven = await queue.deadLetters.redrive({ task, keepAttempts: true, dryRun: true });

    expect(redriven).toEqual([more.id]);
  });

  it('holds for thousands of different policies in turn', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'various', run: (_: number, { maxAttempts }) => maxAttempts });
    const counts = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const submitted = await queue.submitMany(task, [...counts, ...counts], {
      each: (payload) => ({ retry: { maxAttempts: payload } }),
    });
    startWorker({ tasks: [task] });

    await clock.advance('10s');

    const results = await Promise.all(submitted.map(async ({ id }) => (await queue.result(id))?.result));
    expect(results).toEqual([...counts, ...counts]);
  });
});
