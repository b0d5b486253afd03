import { NonRetryableError } from '@retry/core';
import type { Broker, NoteWrite } from '@retry/core/broker';
import type { TaskInput } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { pass, setScene, untilStopped } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '1h' }, jitter: 'none' } as const;
const BREAKER = {
  failureRatio: 0.5,
  minimumThroughput: 4,
  samplingDuration: '30s',
  breakDuration: '1m',
} as const;

/** A task that calls a dependency, which is away at first; it notes when it was called. */
function dependentTask({ clock }: Scene, options: Partial<TaskInput<unknown, unknown>> = {}) {
  const dependency = { isAway: true, calledAt: [] as number[], error: new Error('away') as unknown };
  const task = defineTask({
    name: 'dependent',
    retry: { ...STEADY, maxAttempts: 5 },
    circuitBreaker: BREAKER,
    run: () => {
      dependency.calledAt.push(clock.now());
      if (dependency.isAway) throw dependency.error;
    },
    ...options,
  });
  return { task, dependency };
}

/** A broker that makes a call before each write of a hold. */
function beforeHolds(broker: Broker, call: (write: NoteWrite) => void): Broker {
  const write: Broker['notes']['write'] = async (writes) => {
    for (const one of writes) if (one.key.startsWith('hold/')) call(one);
    return broker.notes.write(writes);
  };
  return { ...broker, notes: { ...broker.notes, write } };
}

describe('the circuit breaker of a task', () => {
  it('puts the lane on hold for all workers when too many attempts fail, and says why', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, dependency } = dependentTask(scene);
    await queue.submitMany(task, Array(20).fill(null));
    const worker = startWorker({ tasks: [task], name: 'one', concurrency: 1, prefetch: 0 });
    startWorker({ tasks: [task], name: 'two', concurrency: 1, prefetch: 0 });

    await clock.advance('50s');

    // Two workers sample for themselves; whichever opens it first, opens it for both.
    expect(dependency.calledAt.length).toBeGreaterThanOrEqual(4);
    expect(dependency.calledAt.length).toBeLessThanOrEqual(8);
    expect(await queue.holds()).toMatchObject([
      { lane: 'dependent@1', source: 'circuit-breaker', until: 60_000, probeMs: 60_000 },
    ]);
    const [hold] = await queue.holds();
    expect(hold?.reason).toBe('4 of 4 attempts failed, the latest: Error: away');
    expect(['one', 'two']).toContain(hold?.by);
    const opened = worker.emittedOf('breaker');
    for (const event of opened)
      expect(event).toEqual({ task: 'dependent', version: '1', state: 'open', reason: hold?.reason });
  });

  it('lets one run through after each break; its failure is not charged', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, dependency } = dependentTask(scene);
    await queue.submitMany(task, Array(20).fill(null));
    const worker = startWorker({ tasks: [task], concurrency: 1, prefetch: 0 });

    await clock.advance('5m');

    expect(dependency.calledAt).toEqual([0, 0, 0, 0, 60_000, 120_000, 180_000, 240_000, 300_000]);
    expect(worker.emittedOf('breaker').map(({ state }) => state)).toEqual([
      'open',
      ...Array(5).fill(['half-open', 'open']).flat(),
    ]);
    expect(worker.emittedOf('retried')).toHaveLength(4);
    expect(worker.emittedOf('released')).toHaveLength(5);
    expect(worker.emittedOf('released')[0]).toMatchObject({
      delayMs: 3_600_000,
      reason: 'a probe of the circuit breaker failed',
    });
    const [hold] = await queue.holds();
    expect(hold).toMatchObject({ reason: 'a probe failed: Error: away', until: 360_000 });
    const { runs } = await scene.broker.list({ state: 'scheduled', limit: 100 });
    expect(runs.map(({ failures, releases }) => failures + releases)).toEqual(Array(9).fill(1));
  });

  it('ends the hold when a probe succeeds', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, dependency } = dependentTask(scene);
    await queue.submitMany(task, Array(20).fill(null));
    const worker = startWorker({ tasks: [task], concurrency: 1, prefetch: 0 });
    await clock.advance('90s');

    dependency.isAway = false;
    await clock.advance('1m');

    expect(await queue.holds()).toEqual([]);
    expect(worker.emittedOf('breaker').map(({ state }) => state)).toEqual([
      'open',
      'half-open',
      'open',
      'half-open',
      'closed',
    ]);
    expect(dependency.calledAt.slice(4)).toEqual([60_000, ...Array(15).fill(120_000)]);
    expect(await queue.counts()).toMatchObject({ ended: { completed: 15 }, scheduled: 5, submitted: 0 });
  });

  it('gives a run back whose last attempt is a probe, and any number of probes whatever maxReleases is', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, dependency } = dependentTask(scene, {
      retry: { maxAttempts: 1, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
      circuitBreaker: { ...BREAKER, minimumThroughput: 1 },
      maxReleases: 0,
    });
    const first = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], concurrency: 1, prefetch: 0 });
    await clock.advance('1s');
    const { id } = await queue.submit(task, null);

    await clock.advance('10m');

    expect(dependency.calledAt).toHaveLength(11);
    expect(await queue.get(first.id)).toMatchObject({ state: 'failed' });
    expect(await queue.get(id)).toMatchObject({ failures: 0, releases: 10, errors: [] });
    dependency.isAway = false;
    await clock.advance('2m');
    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
    expect(worker.emittedOf('failed')).toHaveLength(1);
  });

  it.each([
    ['an error that stopOn names', new TypeError('no'), 'stopped'],
    ['an error that retryOn does not list', new SyntaxError('no'), 'unexpected'],
    ['an error that forbids retries', new NonRetryableError('no'), 'stopped'],
  ])(
    'counts %s neither as failure nor as success, and charges a probe for it',
    async (_name, error, reason) => {
      const scene = setScene();
      const { clock, queue, startWorker } = scene;
      const { task, dependency } = dependentTask(scene, {
        retry: { ...STEADY, retryOn: [RangeError, TypeError, NonRetryableError], stopOn: [TypeError] },
      });
      dependency.error = error;
      await queue.submitMany(task, Array(10).fill(null));
      const worker = startWorker({ tasks: [task], concurrency: 1, prefetch: 0 });
      await clock.advance('1s');
      expect(await queue.holds()).toEqual([]);
      dependency.error = new RangeError('away');
      await queue.submitMany(task, Array(10).fill(null));
      await clock.advance('1s');
      expect(await queue.holds()).toHaveLength(1);
      expect(worker.emittedOf('failed')).toHaveLength(10);

      dependency.error = error;
      await clock.advance('1m');

      expect(worker.emittedOf('failed').at(-1)).toMatchObject({ reason });
      expect(worker.emittedOf('failed')).toHaveLength(11);
      expect(worker.emittedOf('released')).toEqual([]);
      expect(await queue.holds()).toMatchObject([{ until: 121_000 }]);
    },
  );

  it('counts timeouts, and what ctx.retry asks for', async () => {
    const { clock, queue, startWorker } = setScene();
    const slow = defineTask({
      name: 'slow',
      retry: { ...STEADY, attemptTimeout: '5s' },
      circuitBreaker: BREAKER,
      run: untilStopped,
    });
    const asking = defineTask({
      name: 'asking',
      retry: STEADY,
      circuitBreaker: BREAKER,
      run: (_: null, { retry }) => retry({ delay: '1h', error: new Error('not yet') }),
    });
    await queue.submitMany(slow, Array(10).fill(null));
    await queue.submitMany(asking, Array(10).fill(null));
    startWorker({ tasks: [slow, asking], concurrency: 4 });

    await clock.advance('30s');

    expect(await queue.holds()).toMatchObject([{ lane: 'asking@1' }, { lane: 'slow@1' }]);
    expect((await queue.holds()).map(({ reason }) => reason)).toEqual([
      expect.stringContaining('not yet'),
      expect.stringContaining('AttemptTimeoutError'),
    ]);
  });

  it('does not count releases, cancelled runs and unreadable payloads', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const task = defineTask({
      name: 'mixed',
      retry: STEADY,
      circuitBreaker: { ...BREAKER, minimumThroughput: 1 },
      run: async (kind: string, ctx) => {
        if (kind === 'release') ctx.release({ delay: '1h' });
        await untilStopped(kind, ctx);
      },
    });
    await queue.submitMany(task, Array(5).fill('release'));
    const [cancelled] = await queue.submitMany(task, ['cancel']);
    await broker.submit([{ id: 'unreadable', lane: task.lane, payload: '{' }]);
    const worker = startWorker({ tasks: [task] });
    await clock.advance('1s');
    await queue.cancel(cancelled?.id ?? '');
    await clock.advance('1s');

    expect(worker.emittedOf('released')).toHaveLength(5);
    expect(worker.emittedOf('cancelled')).toHaveLength(1);
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'unreadable' }]);
    expect(await queue.holds()).toEqual([]);
  });

  it('counts successes: it stays closed below the ratio', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'flaky',
      retry: { ...STEADY, maxAttempts: 1 },
      circuitBreaker: BREAKER,
      run: (index: number) => {
        if (index % 3 === 2) throw new Error('one of three');
      },
    });
    await queue.submitMany(
      task,
      Array.from({ length: 300 }, (_, index) => index),
    );
    const worker = startWorker({ tasks: [task], concurrency: 1 });

    await clock.advance('1m');

    expect(worker.emittedOf('failed')).toHaveLength(100);
    expect(worker.emittedOf('breaker')).toEqual([]);
  });

  it('does not count attempts that were claimed before it opened', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = defineTask({
      name: 'dependent',
      retry: { ...STEADY, maxAttempts: 9 },
      circuitBreaker: { ...BREAKER, breakDuration: '10s' },
      run: async (ms: number, { epoch }) => {
        if (epoch > 1) return;
        await pass(clock, ms);
        if (ms < 1_000_000) throw new Error('away');
      },
    });
    // Four fail early, and six only after the hold has ended.
    await queue.submitMany(task, [1, 1, 1, 1, ...Array(6).fill(20_000)]);
    const worker = startWorker({ tasks: [task], concurrency: 10 });
    await clock.advance('5s');
    expect(worker.emittedOf('breaker')).toHaveLength(1);

    await queue.resume(task);
    await clock.advance('1m');

    expect(worker.emittedOf('retried')).toHaveLength(10);
    expect(worker.emittedOf('breaker')).toHaveLength(1);
    expect(await queue.holds()).toEqual([]);
  });

  it('opens with the next failure when the broker did not answer, and loses no run', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, dependency } = dependentTask(scene);
    let calls = 0;
    const broker = beforeHolds(scene.broker, () => {
      calls += 1;
      if (calls <= 2) throw new Error('the broker is away');
    });
    await queue.submitMany(task, Array(20).fill(null));
    const worker = startWorker({
      tasks: [task],
      broker,
      concurrency: 1,
      prefetch: 0,
    });

    await clock.advance('10s');

    expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual(
      Array(2).fill('putting the lane dependent@1 on hold'),
    );
    expect(dependency.calledAt.length).toBeLessThanOrEqual(8);
    expect(await queue.holds()).toHaveLength(1);
    expect(await queue.counts()).toMatchObject({ scheduled: dependency.calledAt.length });
  });

  it('ends the hold with the next probe when the broker did not answer, and loses no run', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, dependency } = dependentTask(scene);
    let calls = 0;
    const broker = beforeHolds(scene.broker, ({ value }) => {
      if (value !== null) return;
      calls += 1;
      if (calls === 1) throw new Error('the broker is away');
    });
    await queue.submitMany(task, Array(20).fill(null));
    const worker = startWorker({
      tasks: [task],
      broker,
      concurrency: 1,
      prefetch: 0,
    });
    await clock.advance('30s');
    dependency.isAway = false;

    await clock.advance('61s');
    expect(worker.emittedOf('error')).toMatchObject([{ doing: 'resuming the lane dependent@1' }]);
    expect(dependency.calledAt.slice(4)).toEqual([60_000]);
    await clock.advance('1m');

    expect(await queue.holds()).toEqual([]);
    expect(await queue.counts()).toMatchObject({ ended: { completed: 16 }, scheduled: 4 });
  });

  it('is not opened again by a probe that fails after another one has succeeded', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'dependent',
      retry: STEADY,
      circuitBreaker: { ...BREAKER, minimumThroughput: 1 },
      run: async () => {
        const startedAt = clock.now();
        if (startedAt === 60_000) await pass(clock, 90_000);
        if (startedAt < 120_000) throw new Error('away');
      },
    });
    await queue.submitMany(task, Array(20).fill(null));
    const worker = startWorker({ tasks: [task], concurrency: 2, prefetch: 0 });

    await clock.advance('160s');

    expect(worker.emittedOf('breaker').map(({ state }) => state)).toEqual([
      'open',
      'half-open',
      'half-open',
      'closed',
    ]);
    expect(worker.emittedOf('released')).toHaveLength(1);
    expect(await queue.holds()).toEqual([]);
  });

  it('is ended by a probe of a worker whose task has none any more', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task } = dependentTask(scene);
    await queue.submitMany(task, Array(20).fill(null));
    const old = startWorker({ tasks: [task], concurrency: 1, prefetch: 0 });
    await clock.advance('1s');
    await old.stop();
    expect(await queue.holds()).toHaveLength(1);

    startWorker({ tasks: [defineTask({ name: 'dependent', run: () => {} })] });
    await clock.advance('1m');

    expect(await queue.holds()).toEqual([]);
    expect(await queue.counts()).toMatchObject({ ended: { completed: 16 } });
  });

  it('ends a probe that its total time leaves no further attempt, as any other attempt', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, dependency } = dependentTask(scene, {
      retry: { backoff: { type: 'constant', base: '50s' }, jitter: 'none', totalTimeout: '90s' },
      circuitBreaker: { ...BREAKER, minimumThroughput: 1 },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('3m');

    expect(dependency.calledAt).toEqual([0, 60_000]);
    expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 2, releases: 0 });
    expect(worker.emittedOf('failed')).toMatchObject([{ id, reason: 'total-timeout' }]);
  });

  it('hides what redact removes', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { task, dependency } = dependentTask(scene);
    dependency.error = new Error('password: geheim');
    await queue.submitMany(task, Array(20).fill(null));
    startWorker({ tasks: [task], redact: () => ({ name: 'Hidden', message: 'hidden' }) });

    await clock.advance('1s');

    expect((await queue.holds())[0]?.reason).toMatch(/Hidden: hidden$/);
  });

  it.each(['x'.repeat(10_000), '\u{1f600}'.repeat(500), 'half \ud800', 'nul \0'])(
    'opens whatever the text of the error is: %o',
    async (message) => {
      const scene = setScene();
      const { clock, queue, startWorker } = scene;
      const { task, dependency } = dependentTask(scene);
      dependency.error = new Error(message);
      await queue.submitMany(task, Array(20).fill(null));
      const worker = startWorker({ tasks: [task] });

      await clock.advance('1s');

      expect(worker.emittedOf('error')).toEqual([]);
      expect(await queue.holds()).toHaveLength(1);
    },
  );

  it.each([
    [{ failureRatio: 0 }, 'circuitBreaker.failureRatio'],
    [{ minimumThroughput: 0 }, 'circuitBreaker.minimumThroughput'],
    [{ samplingDuration: 'Infinity' }, 'circuitBreaker.samplingDuration'],
    [{ breakDuration: 0 }, 'circuitBreaker.breakDuration'],
    [{ threshold: 5 }, 'circuitBreaker.threshold'],
    [true, 'circuitBreaker'],
  ])('refuses %o', (circuitBreaker, path) => {
    expect(() => defineTask({ name: 'a', run: () => {}, circuitBreaker: circuitBreaker as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', problems: [expect.objectContaining({ path })] }),
    );
  });
});
