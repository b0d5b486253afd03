import type { Clock } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StartWindow } from '../../packages/worker/src/engine/plan/slots.ts';
import { propertyRuns } from '../support/property-runs.ts';
import type { Scene } from './scene.ts';
import { pass, setScene } from './scene.ts';

const LATER = { maxAttempts: 3, backoff: { type: 'constant', base: '5s' }, jitter: 'none' } as const;

/** A handler of one second that knows how many of it run at a time, and when each started. */
function meter({ clock }: Scene) {
  const seen = { running: 0, most: 0, startedAt: [] as number[] };
  const run = async (): Promise<void> => {
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    seen.startedAt.push(clock.now());
    await pass(clock, 1_000);
    seen.running -= 1;
  };
  return { seen, run };
}

describe('concurrency', () => {
  it('limits how many runs of one task run at the same time', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const task = defineTask({ name: 'a', run });
    await scene.queue.submitMany(task, Array(7).fill(null));
    scene.startWorker({ tasks: [task], concurrency: 3 });

    await scene.clock.advance('10s');

    expect(seen.most).toBe(3);
    expect(seen.startedAt).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000]);
  });

  it('counts the runs of all tasks together', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const tasks = ['a', 'b', 'c'].map((name) => defineTask({ name, run }));
    for (const task of tasks) await scene.queue.submitMany(task, [null, null]);
    scene.startWorker({ tasks, concurrency: 2 });

    await scene.clock.advance('10s');

    expect(seen.most).toBe(2);
    expect(seen.startedAt).toHaveLength(6);
  });

  it('is 10 by default', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const task = defineTask({ name: 'a', run });
    await scene.queue.submitMany(task, Array(12).fill(null));
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('10s');

    expect(seen.most).toBe(10);
  });
});

describe('maxConcurrent', () => {
  it('limits one task in each worker and leaves the slots to the others', async () => {
    const scene = setScene();
    const [narrow, wide] = [meter(scene), meter(scene)];
    const a = defineTask({ name: 'a', maxConcurrent: 1, run: narrow.run });
    const b = defineTask({ name: 'b', run: wide.run });
    await scene.queue.submitMany(a, Array(4).fill(null));
    await scene.queue.submitMany(b, Array(4).fill(null));
    scene.startWorker({ tasks: [a, b], concurrency: 10 });
    scene.startWorker({ tasks: [a], concurrency: 10 });

    await scene.clock.advance('10s');

    expect(narrow.seen.most).toBe(2);
    expect(narrow.seen.startedAt).toEqual([0, 0, 1_000, 1_000]);
    expect(wide.seen.startedAt).toEqual([0, 0, 0, 0]);
  });
});

describe('globalConcurrency', () => {
  it('keeps runs in their lane over all workers, and starts them as soon as there is room', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const task = defineTask({ name: 'a', globalConcurrency: 2, run });
    const submitted = await scene.queue.submitMany(task, Array(5).fill(null));
    scene.startWorker({ tasks: [task] });
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1m');

    expect(seen.most).toBe(2);
    expect(seen.startedAt).toEqual([0, 0, 1_000, 1_000, 2_000]);
    for (const { id } of submitted)
      expect(await scene.queue.get(id)).toMatchObject({ state: 'completed', rateLimits: 0, epoch: 1 });
  });

  it('tries again later by rateLimitRetry, which charges nothing, with whenFull retry', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const task = defineTask({
      name: 'a',
      globalConcurrency: 1,
      whenFull: 'retry',
      retry: { maxAttempts: 1 },
      rateLimitRetry: {
        ...LATER,
        retryOn: [TypeError],
        retryIf: (error) => (error as Error).name === 'TypeError',
      },
      run,
    });
    const [first, second] = await scene.queue.submitMany(task, [null, null]);
    const workers = [scene.startWorker({ tasks: [task] }), scene.startWorker({ tasks: [task] })];

    await scene.clock.advance('1m');

    expect(seen.startedAt).toEqual([0, 5_000]);
    expect(await scene.queue.get(first?.id ?? '')).toMatchObject({ state: 'completed', rateLimits: 0 });
    expect(await scene.queue.get(second?.id ?? '')).toMatchObject({
      state: 'completed',
      rateLimits: 1,
      failures: 0,
      stalls: 0,
      errors: [],
    });
    const limited = workers.flatMap((worker) => worker.emittedOf('limited'));
    expect(limited).toMatchObject([{ id: second?.id, attempt: 1, next: 'scheduled' }]);
  });

  it('lets the decorrelated backoff of rateLimitRetry grow', async () => {
    const scene = setScene();
    const task = defineTask({
      name: 'a',
      globalConcurrency: 1,
      rateLimitRetry: { maxAttempts: 4, backoff: { type: 'decorrelated', base: '1s' } },
      run: () => pass(scene.clock, 60_000),
    });
    const [, second] = await scene.queue.submitMany(task, [null, null]);
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('2m');

    // After 2 s, 3.5 s and 5.75 s: halfway from the base to three times the delay before.
    const run = await scene.queue.get(second?.id ?? '');
    expect(run).toMatchObject({ state: 'rateLimited', rateLimits: 3, endedAt: 11_250 });
  });

  it('ends the run as rate limited when rateLimitRetry is used up', async () => {
    const scene = setScene();
    const task = defineTask({
      name: 'a',
      globalConcurrency: 1,
      whenFull: 'retry',
      rateLimitRetry: LATER,
      run: () => pass(scene.clock, 60_000),
    });
    const [, second] = await scene.queue.submitMany(task, [null, null]);
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('2m');

    // Limited at 0 s, 5 s and 10 s: two retries are what three attempts have.
    expect(await scene.queue.get(second?.id ?? '')).toMatchObject({
      state: 'rateLimited',
      rateLimits: 2,
      failures: 0,
      endedAt: 10_000,
    });
  });

  it('ends the run immediately with whenFull end', async () => {
    const scene = setScene();
    const { run } = meter(scene);
    const task = defineTask({ name: 'a', globalConcurrency: 1, whenFull: 'end', run });
    const [, second] = await scene.queue.submitMany(task, [null, null]);
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1m');

    expect(await scene.queue.get(second?.id ?? '')).toMatchObject({ state: 'rateLimited', failures: 0 });
    expect(worker.emittedOf('limited')).toMatchObject([{ next: 'rateLimited' }]);
  });

  it('may have a key and a limit of the submission instead', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const task = defineTask({ name: 'a', run });
    await scene.queue.submitMany(task, Array(4).fill(null), { concurrency: { key: 'ann', limit: 1 } });
    await scene.queue.submitMany(task, [null, null], { concurrency: { key: 'bob', limit: 1 } });
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1m');

    expect(seen.startedAt).toEqual([0, 0, 1_000, 1_000, 2_000, 3_000]);
  });

  it('is free again when the worker that used it has crashed', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const task = defineTask({ name: 'a', globalConcurrency: 1, retry: { backoff: { type: 'none' } }, run });
    await scene.queue.submitMany(task, [null, null]);
    await scene.broker.exchange({
      claim: { worker: 'dead', requestId: 'r', limit: 1, lanes: new Map([['a@1', 1]]), leaseMs: 9_000 },
    });
    scene.startWorker({ tasks: [task], cleanerInterval: '1s' });

    await scene.clock.advance('1m');

    expect(seen.most).toBe(1);
    expect((await scene.queue.counts()).ended.completed).toBe(2);
  });
});

describe('rateLimit', () => {
  it('keeps runs in their lane until the window has room', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const task = defineTask({ name: 'a', rateLimit: { limit: 2, window: '10s' }, run });
    const submitted = await scene.queue.submitMany(task, Array(5).fill(null));
    scene.startWorker({ tasks: [task], pollInterval: '1h' });

    await scene.clock.advance('1m');

    expect(seen.startedAt).toEqual([0, 0, 10_000, 10_000, 20_000]);
    for (const { id } of submitted)
      expect(await scene.queue.get(id)).toMatchObject({ rateLimits: 0, epoch: 1 });
  });

  it('tries again later with whenFull retry; neither counter resets the other', async () => {
    const scene = setScene();
    const { clock, queue } = scene;
    const task = defineTask({
      name: 'a',
      rateLimit: { limit: 1, window: '4s' },
      whenFull: 'retry',
      retry: { maxAttempts: 3, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
      rateLimitRetry: { ...LATER, maxAttempts: 4 },
      run: (_: null, { attempt }) => (attempt < 3 ? Promise.reject(new Error('no')) : clock.now()),
    });
    const { id } = await queue.submit(task, null);
    const worker = scene.startWorker({ tasks: [task] });

    await clock.advance('1m');

    // Fails at 0 s; limited at 1 s; fails at 6 s; limited at 7 s; completes at 12 s.
    expect(await queue.get(id)).toMatchObject({
      state: 'completed',
      result: 12_000,
      failures: 2,
      rateLimits: 2,
      releases: 2,
      epoch: 5,
    });
    expect(
      worker.emitted.map(({ type, ...event }) => [type, 'attempt' in event ? event.attempt : 0]),
    ).toEqual([
      ['started', 1],
      ['retried', 1],
      ['limited', 2],
      ['started', 2],
      ['retried', 2],
      ['limited', 3],
      ['started', 3],
      ['completed', 3],
    ]);
  });

  it('ends the run with whenFull end', async () => {
    const scene = setScene();
    const { run } = meter(scene);
    const task = defineTask({ name: 'a', rateLimit: { limit: 1, window: '4s' }, whenFull: 'end', run });
    const [, second] = await scene.queue.submitMany(task, [null, null]);
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1m');

    expect(await scene.queue.get(second?.id ?? '')).toMatchObject({ state: 'rateLimited', endedAt: 0 });
  });

  it('counts starts only: a run that its concurrency limit stopped does not count', async () => {
    const scene = setScene();
    const { seen, run } = meter(scene);
    const task = defineTask({
      name: 'a',
      globalConcurrency: 1,
      rateLimit: { limit: 2, window: '1h' },
      whenFull: 'retry',
      rateLimitRetry: LATER,
      run,
    });
    await scene.queue.submitMany(task, [null, null]);
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1m');

    expect(seen.startedAt).toEqual([0, 5_000]);
  });
});

describe('StartWindow', () => {
  it('has room again exactly one window after a start', () => {
    const window = new StartWindow({ limit: 2, windowMs: 100 });

    expect([window.start(0), window.start(50), window.start(99)]).toEqual([true, true, false]);
    expect(window.opensIn(99)).toBe(1);
    expect([window.start(100), window.start(101), window.room(150)]).toEqual([true, false, 1]);
  });

  it('has room again for a start that is taken back, and for none that it has not', () => {
    const window = new StartWindow({ limit: 2, windowMs: 100 });
    window.start(0);
    window.start(10);

    window.takeBack(10);
    window.takeBack(10);

    expect([window.room(20), window.start(20), window.start(20)]).toEqual([1, true, false]);
    expect(window.room(105)).toBe(1);
    window.takeBack(0);
    expect(window.room(105)).toBe(1);
  });

  it('never opens with a limit of 0', () => {
    const window = new StartWindow({ limit: 0, windowMs: 100 });

    expect([window.start(0), window.room(1_000), window.opensIn(0)]).toEqual([false, 0, Infinity]);
  });

  it('allows exactly limit starts in any window, however many are tried', () => {
    const moves = fc.array(fc.nat({ max: 30 }), { minLength: 3_000, maxLength: 4_000 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), moves, (limit, steps) => {
        const window = new StartWindow({ limit, windowMs: 100 });
        const starts: number[] = [];
        let now = 0;
        for (const step of steps) {
          now += step;
          const recent = starts.slice(-limit).filter((at) => at > now - 100).length;
          expect(window.start(now)).toBe(recent < limit);
          if (recent < limit) starts.push(now);
        }
      }),
      { numRuns: propertyRuns(1 / 10) },
    );
  });
});

describe('a limit that opens', () => {
  const LIMIT = { limit: 5, window: '1s' } as const;

  /** The scene's clock, by which some time passes with each reading. */
  const ticking = ({ clock }: Scene, stepMs: number): Clock => {
    let aheadMs = 0;
    return {
      now: () => {
        aheadMs += stepMs;
        return clock.now() + aheadMs;
      },
      setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
    };
  };

  it.each([
    ['rateLimit', 1],
    ['rateLimit', 7],
    ['globalRateLimit', 1],
    ['globalRateLimit', 7],
  ])(
    'is used at once, also when it opens between two readings of the clock: %s, %d ms',
    async (kind, stepMs) => {
      for (let beforeMs = 0; beforeMs < 100; beforeMs += 1) {
        const scene = setScene();
        const clock = ticking(scene, stepMs);
        const broker = createMemoryBroker({ clock });
        let started = 0;
        // The loop turns when a handler ends.
        const run = (): Promise<void> => {
          started += 1;
          return pass(scene.clock, 1_000 - beforeMs);
        };
        const task = defineTask({ name: 'a', [kind]: { limit: 1, window: '1s' }, run });
        await createQueue({ broker, clock }).submitMany(task, Array(4).fill(null));
        scene.startWorker({ tasks: [task], pollInterval: '1h', clock, broker });

        await scene.clock.advance('4s');

        expect([beforeMs, started]).toEqual([beforeMs, 4]);
      }
    },
  );

  it.each(['rateLimit', 'globalRateLimit'])(
    'is used at once, also when a claim of other lanes is under way: %s',
    async (kind) => {
      const scene = setScene();
      const { seen, run } = meter(scene);
      const limited = defineTask({ name: 'limited', [kind]: LIMIT, run });
      const idle = defineTask({ name: 'idle', run });
      await scene.queue.submitMany(limited, Array(50).fill(null));
      const exchange: Broker['exchange'] = async (request) => {
        const reply = await scene.broker.exchange(request);
        await pass(scene.clock, 300);
        return reply;
      };
      const broker = { ...scene.broker, exchange };
      scene.startWorker({ tasks: [limited, idle], concurrency: 50, pollInterval: '1h', broker });

      await scene.clock.advance('40s');

      expect(seen.startedAt).toHaveLength(50);
    },
  );
});
