import { cancelRuns } from '@retry/core/broker/kit';
import type { ReleaseRequest, TaskContext } from '@retry/worker';
import { defineTask, ReleasesExhaustedError } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene, untilStopped } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '10s' }, jitter: 'none' } as const;

describe('ctx.release', () => {
  it('gives the run back for later, uncharged, and says why in the event', async () => {
    const { clock, queue, startWorker } = setScene();
    const startedAt: number[] = [];
    const task = defineTask({
      name: 'limited-elsewhere',
      retry: { ...STEADY, maxAttempts: 1 },
      run: (_: null, { attempt, release }) => {
        startedAt.push(clock.now());
        expect(attempt).toBe(1);
        if (startedAt.length < 3) release({ delay: '1m', reason: 'the other side says 429' });
        return 'done';
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('30s');
    expect(await queue.get(id)).toMatchObject({
      state: 'scheduled',
      releases: 1,
      failures: 0,
      runAt: 60_000,
    });
    await clock.advance('5m');

    expect(startedAt).toEqual([0, 60_000, 120_000]);
    expect(await queue.get(id)).toMatchObject({
      state: 'completed',
      epoch: 3,
      releases: 2,
      failures: 0,
      errors: [],
    });
    expect(worker.emittedOf('released')).toMatchObject([
      { id, attempt: 1, epoch: 1, delayMs: 60_000, reason: 'the other side says 429' },
      { id, attempt: 1, epoch: 2, delayMs: 60_000, reason: 'the other side says 429' },
    ]);
  });

  it('without a delay gives the run back to the front of its lane', async () => {
    const { clock, queue, startWorker } = setScene();
    const order: string[] = [];
    const task = defineTask({
      name: 'again',
      run: (name: string, { epoch, release }) => {
        order.push(name);
        if (epoch === 1 && name === 'first') release();
      },
    });
    await queue.submitMany(task, ['first', 'second', 'third']);
    const worker = startWorker({ tasks: [task], concurrency: 1, prefetch: 0 });

    await clock.advance('1s');

    expect(order).toEqual(['first', 'first', 'second', 'third']);
    const [released] = worker.emittedOf('released');
    expect(released).not.toHaveProperty('reason');
    expect(released).not.toHaveProperty('delayMs');
  });

  it.each([0, 1, 3])('fails the run at the release after maxReleases: %i', async (maxReleases) => {
    const { clock, queue, startWorker } = setScene();
    let calls = 0;
    const task = defineTask({
      name: 'never-ready',
      maxReleases,
      run: (_: null, { release }) => {
        calls += 1;
        release({ delay: '1s', reason: 'not ready' });
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1h');

    expect(calls).toBe(maxReleases + 1);
    expect(await queue.get(id)).toMatchObject({ state: 'failed', releases: maxReleases, failures: 1 });
    const [failed] = worker.emittedOf('failed');
    expect(failed).toMatchObject({
      reason: 'releases-exhausted',
      error: { releases: maxReleases, maxReleases },
    });
    expect(failed?.error).toBeInstanceOf(ReleasesExhaustedError);
    expect(String(failed?.error)).toContain('not ready');
    expect(
      (await queue.deadLetters.list({ errorName: 'ReleasesExhaustedError' })).runs.map((run) => run.id),
    ).toEqual([id]);
  });

  it('is bounded by 100 releases by default, and by none with Infinity', async () => {
    const { clock, queue, startWorker } = setScene();
    const calls = { bounded: 0, unbounded: 0 };
    const bounded = defineTask({
      name: 'bounded',
      run: (_: null, { release }) => {
        calls.bounded += 1;
        release();
      },
    });
    const unbounded = defineTask({
      name: 'unbounded',
      maxReleases: Infinity,
      run: (_: null, { release }) => {
        calls.unbounded += 1;
        if (calls.unbounded <= 500) release({ delay: 1 });
      },
    });
    const runs = [await queue.submit(bounded, null), await queue.submit(unbounded, null)];
    startWorker({ tasks: [bounded, unbounded] });

    await clock.advance('10s');

    expect(calls).toEqual({ bounded: 101, unbounded: 501 });
    const states = await Promise.all(runs.map(({ id }) => queue.get(id)));
    expect(states.map((run) => run?.state)).toEqual(['failed', 'completed']);
  });

  it('counts from the latest redrive', async () => {
    const { clock, queue, startWorker } = setScene();
    let calls = 0;
    const task = defineTask({
      name: 'never-ready',
      maxReleases: 2,
      run: (_: null, { release }) => {
        calls += 1;
        release();
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });
    await clock.advance('1s');

    await queue.deadLetters.redrive({ ids: [id] });
    await clock.advance('1s');

    expect(calls).toBe(6);
    expect(await queue.get(id)).toMatchObject({ state: 'failed', releases: 2, redrives: 1 });
  });

  it('counts what a stopping worker gave back, which itself has no limit', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'long',
      maxReleases: 1,
      onShutdown: 'release',
      run: (_: null, ctx) => (ctx.epoch <= 3 ? untilStopped(_, ctx) : ctx.release()),
    });
    const { id } = await queue.submit(task, null);
    for (let restarts = 0; restarts < 3; restarts += 1) {
      const worker = startWorker({ tasks: [task] });
      await clock.advance('1s');
      await worker.stop();
    }
    expect(await queue.get(id)).toMatchObject({ state: 'submitted', releases: 3 });
    const last = startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect(last.emittedOf('failed')).toMatchObject([
      { reason: 'releases-exhausted', error: { releases: 3 } },
    ]);
  });

  it.each([
    ['at', '30s', 'failed'],
    ['after', '31s', 'failed'],
    ['before', '29s', 'scheduled'],
  ])('with a delay that ends %s the end of the total time leaves it %s: %s', async (_when, delay, state) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'timed',
      retry: { ...STEADY, totalTimeout: '40s' },
      run: async (_: null, { release }) => {
        await pass(clock, 10_000);
        release({ delay } as ReleaseRequest);
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('11s');

    expect(await queue.get(id)).toMatchObject({ state });
    const reasons = worker.emittedOf('failed').map(({ reason, error }) => [reason, (error as Error).name]);
    expect(reasons).toEqual(state === 'failed' ? [['total-timeout', 'TotalTimeoutError']] : []);
  });

  it('counts the total time on from the first start', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'timed',
      retry: { ...STEADY, totalTimeout: '25s' },
      run: (_: null, { release }) => release({ delay: '10s' }),
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('10m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', releases: 2, failures: 1, endedAt: 20_000 });
  });

  it('is cancelled by a cancel request that came meanwhile', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const task = defineTask({
      name: 'unaware',
      run: async (_: null, { id, release }) => {
        await pass(clock, 10);
        await cancelRuns(broker, [id]);
        release({ delay: '1m' });
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker });

    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'cancelled' });
  });

  it('works while the worker stops', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'slow',
      run: async (_: null, { release }) => {
        await pass(clock, 2_000);
        release({ delay: '1h', reason: 'closing' });
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');

    const stopped = worker.stop();
    await clock.advance('5s');
    await stopped;

    expect(await queue.get(id)).toMatchObject({ state: 'scheduled', runAt: 3_602_000 });
  });

  it.each([
    ['committed', 'completed', 0],
    ['rolled back', 'scheduled', 1],
  ] as const)(
    'after ctx.complete counts only if that was not committed: %s',
    async (how, state, releases) => {
      const { clock, queue, broker, startWorker } = setScene();
      const undone = {
        ...broker,
        exchange: async () => ({ settled: ['ok'], claimed: [], now: 0 }) as const,
      };
      const task = defineTask({
        name: 'transacting',
        run: async (_: null, { complete, release }) => {
          await complete({ tx: {} });
          release({ delay: '1h' });
        },
      });
      const { id } = await queue.submit(task, null);
      const within = () => (how === 'committed' ? broker : undone);
      startWorker({ tasks: [task], broker: { ...broker, within } });

      await clock.advance('1s');

      expect(await queue.get(id)).toMatchObject({ state, releases });
    },
  );

  it('may be called outside of the handler, and in a promise that it awaits', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'nested',
      run: async (_: null, context) => {
        await releaseElsewhere(context);
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'scheduled', releases: 1 });
  });

  it.each([
    [{ delay: -1 }, 'delay'],
    [{ delay: 'Infinity' }, 'delay'],
    [{ delay: 'soon' }, 'delay'],
    [{ reason: '' }, 'reason'],
    [{ reason: 5 }, 'reason'],
    [{ reason: 'x'.repeat(513) }, 'reason'],
    [{ error: new Error('no') }, 'error'],
    [{ at: 5 }, 'at'],
  ])('refuses %o, which fails the attempt', async (request, path) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'wrong',
      retry: { maxAttempts: 1 },
      run: (_: null, { release }) => release(request as never),
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', releases: 0 });
    expect(worker.emittedOf('failed')).toMatchObject([
      { error: { code: 'INVALID_OPTIONS', problems: [{ path }] } },
    ]);
  });
});

async function releaseElsewhere({ release }: TaskContext): Promise<void> {
  await Promise.resolve();
  release({ delay: '1m' });
}
