import type { RetryBudget } from '@retry/inprocess';
import { createRetryBudget, createSharedBudget } from '@retry/inprocess';
import type { TaskContext, TaskInput } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { advanceUntilEnded, pass, setScene, untilStopped } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '1s' }, jitter: 'none', maxAttempts: 4 } as const;

const down = new Error('down');

/** A task of which every attempt fails, and how many there were. */
function failingTask(budget: TaskInput<unknown, unknown>['budget'], options: object = {}) {
  const seen = { attempts: 0 };
  const task = defineTask({
    name: 'charge',
    retry: STEADY,
    budget,
    run: () => {
      seen.attempts += 1;
      throw down;
    },
    ...options,
  });
  return { seen, task };
}

/** A budget that grants this many retries and notes what happens to it. */
function noting(grants: number): RetryBudget & {
  readonly noted: unknown[];
} {
  const noted: unknown[] = [];
  let left = grants;
  return {
    noted,
    allowsRetry: (error) => {
      noted.push(['asked', error]);
      return left >= 1;
    },
    record: ({ type }) => {
      noted.push(type);
      return 0;
    },
    spend: (error) => {
      noted.push(['spent', error]);
      left -= 1;
      return 1;
    },
    state: () => ({ tokens: [left], steppedAt: 0 }),
  };
}

describe('the budget of a task', () => {
  it('pays for each retry, and ends the runs that it cannot pay for, as dead letters', async () => {
    const scene = setScene();
    const budget = createRetryBudget(
      { type: 'throttle', maxTokens: 10, tokenRatio: 0 },
      { clock: scene.clock },
    );
    const { seen, task } = failingTask(budget);
    await scene.queue.submitMany(task, Array(20).fill(null));
    const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 0 });

    await advanceUntilEnded(scene, { minutes: 3 });

    expect(seen.attempts).toBe(20 + 4); // a failure takes a token, and of half of them none is left for retries
    expect(worker.emittedOf('failed').map(({ reason }) => reason)).toEqual(Array(20).fill('budget'));
    expect((await scene.queue.deadLetters.list()).runs).toHaveLength(20);
  });

  it('is one for all workers, if it is shared', async () => {
    const scene = setScene();
    const { broker, clock } = scene;
    const budgetOfWorker = () =>
      createSharedBudget({ broker, clock, key: 'payments', ratio: 0, burst: 8, random: () => 0.5 });
    const workers = Array.from({ length: 5 }, () => failingTask(budgetOfWorker()));
    const [first] = workers;
    for (const { task } of workers) scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 0 });
    for (let count = 0; count < 100; count += 1) {
      if (first) await scene.queue.submit(first.task, null);
      await clock.advance('1s');
    }
    await clock.advance('1m');

    const attempts = workers.reduce((sum, { seen }) => sum + seen.attempts, 0);

    expect(attempts).toBeGreaterThan(100);
    expect(attempts).toBeLessThanOrEqual(100 + 8);
  });

  it('is told of each first attempt, failure and success, and asked once for a failure that may be retried', async () => {
    const scene = setScene();
    const budget = noting(Infinity);
    let attempts = 0;
    const run = (): void => {
      attempts += 1;
      if (attempts < 3) throw down;
    };
    const { task } = failingTask(budget, { run });
    await scene.queue.submit(task, null);
    scene.startWorker({ tasks: [task] });

    await advanceUntilEnded(scene, { minutes: 3 });

    const retry = ['failure', ['asked', down], ['spent', down]];
    expect(budget.noted).toEqual(['request', ...retry, ...retry, 'success']);
  });

  it('is not asked where the policy ends the run, and told of no failure that says nothing about the dependency', async () => {
    const scene = setScene();
    const [last, unexpected] = [noting(Infinity), noting(Infinity)];
    const tasks = [
      failingTask(last, { name: 'last', retry: { ...STEADY, maxAttempts: 1 } }).task,
      failingTask(unexpected, { name: 'unexpected', retry: { ...STEADY, retryOn: 'nothing' } }).task,
    ];
    for (const task of tasks) await scene.queue.submit(task, null);
    scene.startWorker({ tasks });

    await advanceUntilEnded(scene, { minutes: 3 });

    expect(last.noted).toEqual(['request', 'failure']);
    expect(unexpected.noted).toEqual(['request']);
  });

  it('limits the retries that a handler asks for, with a delay of its own or without', async () => {
    const scene = setScene();
    const tasks = [{}, { delay: '1m' } as const].map((request, index) => {
      const run = (_: unknown, ctx: TaskContext): never => ctx.retry(request);
      return failingTask(noting(1), { name: `asking-${index}`, run }).task;
    });
    for (const task of tasks) await scene.queue.submit(task, null);
    const worker = scene.startWorker({ tasks });

    await advanceUntilEnded(scene, { minutes: 5 });

    expect(worker.emittedOf('failed')).toMatchObject(
      Array(2).fill({
        attempt: 2,
        reason: 'budget',
        error: { message: 'the handler asked for a retry, but its retry budget is empty' },
      }),
    );
  });

  it('pays for no stall, and for nothing that is given back', async () => {
    const scene = setScene();
    const budget = noting(0);
    let starts = 0;
    const run = (_: unknown, ctx: TaskContext): unknown => {
      starts += 1;
      if (starts === 1) return ctx.release({ delay: '1s' });
      return starts === 2 ? new Promise(() => {}) : undefined;
    };
    const { task } = failingTask(budget, { run, heartbeat: '5s', abandonAfter: 0 });
    await scene.queue.submit(task, null);
    const worker = scene.startWorker({ tasks: [task] });

    await advanceUntilEnded(scene, { minutes: 5 });

    expect(worker.emittedOf('completed')).toHaveLength(1);
    expect(starts).toBe(3);
    expect(budget.noted).toEqual(['request', 'success']);
  });

  it.each<[string, object]>([
    ['a timeout', { retry: { ...STEADY, attemptTimeout: '5s', stopOn: [{ message: 'down' }] } }],
    ['a missed heartbeat', { retry: { ...STEADY, stopOn: [{ message: 'down' }] }, heartbeat: '5s' }],
  ])('makes no %s of an error, however long it lets the failed attempt wait', async (_name, limits) => {
    const scene = setScene();
    const { clock, queue } = scene;
    const budget = { ...noting(Infinity), ready: () => pass(clock, 1_000) };
    const run = async (): Promise<never> => {
      await pass(clock, 4_500);
      throw down;
    };
    const { task } = failingTask(budget, { ...limits, run });
    const { id } = await queue.submit(task, null);
    const worker = scene.startWorker({ tasks: [task] });

    await advanceUntilEnded(scene, { minutes: 3 });

    expect(worker.emittedOf('failed')).toMatchObject([{ attempt: 1, reason: 'stopped', error: down }]);
    expect(await queue.get(id)).toMatchObject({ errors: [{ message: 'down', durationMs: 4_500 }] });
  });

  it('lets no handler count as abandoned that has returned', async () => {
    const scene = setScene();
    const { clock, queue } = scene;
    const budget = { ...noting(Infinity), ready: () => pass(clock, 1_000) };
    const retry = { ...STEADY, maxAttempts: 1, attemptTimeout: '5s' };
    const { task } = failingTask(budget, { retry, abandonAfter: 0, run: untilStopped });
    await queue.submit(task, null);
    const worker = scene.startWorker({ tasks: [task] });

    await advanceUntilEnded(scene, { minutes: 3 });

    expect(worker.emitted.map(({ type }) => type)).toEqual(['started', 'failed']);
    expect(worker.emittedOf('failed')).toMatchObject([{ error: { name: 'AttemptTimeoutError' } }]);
  });

  it('that throws ends the run when it was asked, and is reported', async () => {
    const scene = setScene();
    const broken = new Error('broken budget');
    const fail = (): never => {
      throw broken;
    };
    const { state } = noting(0);
    const asking = { allowsRetry: fail, record: () => 0, spend: () => 0, state };
    const recording = { allowsRetry: () => true, record: fail, spend: fail, state };
    const asked = failingTask(asking, { name: 'asked' });
    const recorded = failingTask(recording, { name: 'recorded', run: () => 1 });
    await scene.queue.submit(asked.task, null);
    await scene.queue.submit(recorded.task, null);
    const worker = scene.startWorker({ tasks: [asked.task, recorded.task] });

    await advanceUntilEnded(scene, { minutes: 5 });

    expect(worker.emittedOf('failed')).toMatchObject([{ task: 'asked', reason: 'stopped' }]);
    expect(worker.emittedOf('completed')).toMatchObject([{ task: 'recorded' }]);
    const errors = worker.emittedOf('error').map(({ error, doing }) => [error, doing.replace(/ run .*/, '')]);
    expect(errors).toEqual(
      expect.arrayContaining([
        [broken, 'settling'],
        [broken, 'informing the budget of recorded@1'],
      ]),
    );
  });
});
