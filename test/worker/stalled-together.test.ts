import type { Broker, Settlement } from '@retry/core/broker';
import { areCharged } from '@retry/core/failures';
import type { AnyTask } from '@retry/worker';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import type { Scene } from './scene.ts';
import { advanceUntilEnded, never, pass, setScene, untilStopped } from './scene.ts';

const LEASE_MS = 9_000;
const CLEANER_MS = 4_000;

const NUM_RUNS = propertyRuns(1 / 8);

/** The broker as one process sees it until that ends: then nothing it says arrives, nor does an answer. */
function processOf(broker: Broker) {
  let hasEnded = false;
  const guard = <Args extends unknown[], Answer>(verb: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args): Promise<Answer> => {
      if (hasEnded) return never();
      const answer = await verb(...args);
      return hasEnded ? never() : answer;
    };
  };
  const guarded: Broker = {
    ...broker,
    exchange: guard(broker.exchange),
    heartbeat: guard(broker.heartbeat),
    findExpired: guard(broker.findExpired),
    attend: guard(broker.attend),
  };
  return {
    broker: guarded,
    end: () => {
      hasEnded = true;
    },
    hasEnded: () => hasEnded,
  };
}

/** Starts a worker in a "process" that starts anew whenever a run ends it. */
function supervise(scene: Scene, options: { concurrency: number; prefetch?: number }, run: Handler) {
  const seen = { crashes: 0, running: new Set<string>(), mostBeside: [] as number[] };
  const spawn = (): void => {
    const { broker, end, hasEnded } = processOf(scene.broker);
    const running = new Set<string>();
    const exit = (): Promise<never> => {
      if (hasEnded()) return never();
      end();
      seen.crashes += 1;
      seen.mostBeside.push(running.size - 1);
      scene.clock.setTimer(spawn, 100);
      return never();
    };
    const task: AnyTask = defineTask({
      ...TASK,
      run: async (payload: string, { id }) => {
        if (hasEnded()) return never();
        running.add(id);
        await run(payload, exit);
        running.delete(id);
      },
    });
    scene.startWorker({ tasks: [task], broker, lease: LEASE_MS, cleanerInterval: CLEANER_MS, ...options });
  };
  spawn();
  return seen;
}

type Handler = (payload: string, exit: () => Promise<never>) => Promise<void>;

const TASK = {
  name: 'shared',
  retry: { maxAttempts: 3, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
} as const;

const shared = defineTask({ ...TASK, run: (_: string) => {} });

describe('runs that stall together', () => {
  it.each([
    { concurrency: 41, prefetch: 0 },
    { concurrency: 10, prefetch: 0 },
    { concurrency: 5, prefetch: 40 },
    { concurrency: 2, prefetch: 0 },
  ])('are claimed in ever smaller groups: 40 of 41 complete uncharged %o', async (options) => {
    const scene = setScene();
    const { clock, queue } = scene;
    const payloads = Array.from({ length: 41 }, (_, index) => (index === 20 ? 'deadly' : 'fine'));
    const submitted = await queue.submitMany(shared, payloads);

    const seen = supervise(scene, options, async (payload, exit) => {
      await pass(clock, 5);
      if (payload === 'deadly') await exit();
      await pass(clock, 20);
    });
    await advanceUntilEnded(scene, { minutes: 30 });

    expect((await queue.counts()).ended).toMatchObject({ completed: 40, failed: 1 });
    for (const [index, { id }] of submitted.entries()) {
      const run = await queue.get(id);
      expect(run).toMatchObject(
        index === 20 ? { state: 'failed', stalls: 3 } : { state: 'completed', stalls: 0, failures: 0 },
      );
    }
    // log2(41) crashes to find it, and three of its own.
    expect(seen.crashes).toBeLessThanOrEqual(9);
    expect(seen.mostBeside.slice(-3)).toEqual([0, 0, 0]);
  });

  it('charge none but the guilty, however many there are, whenever and beside whatever they run', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('deadly', ...Array<string>(12).fill('fine')), {
          minLength: 1,
          maxLength: 70,
        }),
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom(0, 0, 30),
        fc.record({ runMs: fc.constantFrom(0, 5, 700), processes: fc.integer({ min: 1, max: 3 }) }),
        async (payloads, concurrency, prefetch, { runMs, processes }) => {
          const scene = setScene();
          const { clock, queue } = scene;
          const submitted = await queue.submitMany(shared, payloads);
          for (let count = 0; count < processes; count += 1) {
            supervise(scene, { concurrency, prefetch }, async (payload, exit) => {
              await pass(clock, runMs);
              if (payload === 'deadly') await exit();
              await pass(clock, runMs);
            });
          }

          await advanceUntilEnded(scene, { minutes: 60 });

          for (const [index, { id }] of submitted.entries()) {
            const run = await queue.get(id);
            const isGuilty = payloads[index] === 'deadly';
            expect(run).toMatchObject({ state: isGuilty ? 'failed' : 'completed', failures: 0 });
            // What is recorded says which stalls were charged.
            expect(areCharged(run?.errors ?? []).filter(Boolean)).toHaveLength(run?.stalls ?? 0);
            expect(isGuilty ? run?.stalls : 0).toBe(isGuilty ? 3 : 0);
            expect(isGuilty || (run?.stalls ?? 0) <= 1).toBe(true);
          }
        },
      ),
      { numRuns: NUM_RUNS },
    );
  }, 300_000);

  it('record how many others there were, and are reported as stalled', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const submitted = await queue.submitMany(shared, ['a', 'b', 'c']);
    const lanes = new Map([['shared@1', 3]]);
    await broker.exchange({
      claim: { worker: 'dead', requestId: 'r', limit: 3, lanes, leaseMs: 1_000 },
    });
    const slow = defineTask({ ...TASK, run: untilStopped });
    const worker = startWorker({ tasks: [slow], lease: LEASE_MS, cleanerInterval: CLEANER_MS });

    await clock.advance('6s');

    expect(worker.emittedOf('stalled')).toHaveLength(3);
    for (const { id } of submitted) {
      expect(await queue.get(id)).toMatchObject({
        stalls: 0,
        releases: expect.any(Number),
        errors: [{ epoch: 1, name: 'StalledError', stalledWith: 2 }],
      });
    }
  });

  it.each([
    ['fail', { state: 'failed', stalls: 1 }],
    ['hold', { state: 'stalled', stalls: 1 }],
  ] as const)('are charged and end where onStall is %s', async (onStall, expected) => {
    const { clock, broker, queue, startWorker } = setScene();
    const task = defineTask({ ...TASK, onStall, run: (_: string) => {} });
    const submitted = await queue.submitMany(task, ['a', 'b']);
    const lanes = new Map([['shared@1', 2]]);
    await broker.exchange({
      claim: { worker: 'dead', requestId: 'r', limit: 2, lanes, leaseMs: 1_000 },
    });
    startWorker({ tasks: [task], lease: LEASE_MS, cleanerInterval: CLEANER_MS });

    await clock.advance('1m');

    for (const { id } of submitted) expect(await queue.get(id)).toMatchObject(expected);
  });

  it('are charged when they stall alone', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const { id } = await queue.submit(shared, 'a');
    const lanes = new Map([['shared@1', 1]]);
    await broker.exchange({
      claim: { worker: 'dead', requestId: 'r', limit: 1, lanes, leaseMs: 1_000 },
    });
    startWorker({ tasks: [shared], lease: LEASE_MS, cleanerInterval: CLEANER_MS });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 1, releases: 0 });
  });
});

/** Submits runs that were twice beside others when their worker died, each time all of them. */
async function submitSuspects({ broker, queue, clock }: Scene, count: number): Promise<readonly string[]> {
  const submitted = await queue.submitMany(shared, Array<string>(count).fill('suspect'));
  const lanes = new Map([['shared@1', count]]);
  for (const requestId of ['first', 'second']) {
    const claim = { worker: 'dead', requestId, limit: count, lanes, leaseMs: 1_000 };
    const { claimed } = await broker.exchange({ claim });
    const settle = claimed.map(({ run }): Settlement => {
      const { id, epoch, startedAt } = run;
      const error = { epoch, at: clock.now(), startedAt, name: 'StalledError', message: '' };
      const errors = [...run.errors, { ...error, stalledWith: count - 1 }];
      const next = { ...run, state: 'submitted' as const, releases: run.releases + 1, errors };
      return { id, epoch, event: 'stall', next };
    });
    await broker.exchange({ settle });
  }
  return submitted.map(({ id }) => id);
}

describe('suspects', () => {
  it('run beside half as many others as they stalled with, and beside any number of other runs', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const running = { suspect: 0, other: 0 };
    const most = { suspect: 0, other: 0 };
    const task = defineTask({
      ...TASK,
      run: async (kind: 'suspect' | 'other') => {
        running[kind] += 1;
        most[kind] = Math.max(most[kind], running[kind]);
        await pass(clock, 3_000);
        running[kind] -= 1;
      },
    });
    await submitSuspects(scene, 6);
    await queue.submitMany(task, Array<'other'>(20).fill('other'));
    startWorker({ tasks: [task], lease: LEASE_MS, cleanerInterval: CLEANER_MS, concurrency: 30 });

    await clock.advance('10s');

    expect(most).toEqual({ suspect: 3, other: 20 });
    expect((await queue.counts()).ended.completed).toBe(26);
  });

  it('that take long are given back a few times, not again and again', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = defineTask({ ...TASK, run: () => pass(clock, 600_000) });
    const ids = await submitSuspects(scene, 2);
    const worker = startWorker({ tasks: [task], lease: '30s', concurrency: 10 });

    await clock.advance('30m');

    for (const id of ids) expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 0 });
    // After 0.5, 1, 2, 4, 8 and 16 s, then every 30 s; and once before.
    expect(worker.emittedOf('released').length).toBeLessThanOrEqual(30);
  });

  it('are taken by other workers meanwhile', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = defineTask({ ...TASK, run: () => pass(clock, 60_000) });
    await submitSuspects(scene, 2);
    for (const name of ['a', 'b']) startWorker({ tasks: [task], name, lease: LEASE_MS, concurrency: 10 });

    await clock.advance('70s');

    expect((await queue.counts()).ended.completed).toBe(2);
  });
});

describe('runs of a worker that was killed', () => {
  it('never keep the other workers from starting runs for as long as a lease', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          lost: fc.integer({ min: 1, max: 8 }),
          areSuspects: fc.boolean(),
          workers: fc.integer({ min: 1, max: 3 }),
          leases: fc.constantFrom(0.1, 2, 20),
        }),
        async ({ lost, areSuspects, workers, leases }) => {
          const scene = setScene();
          const { clock, broker, queue, startWorker } = scene;
          const long = defineTask({ ...TASK, run: () => pass(clock, leases * LEASE_MS) });
          const startedAt: number[] = [];
          const quick = defineTask({ name: 'quick', run: () => void startedAt.push(clock.now()) });
          if (areSuspects) await submitSuspects(scene, lost);
          else await queue.submitMany(shared, Array<string>(lost).fill('lost'));
          const lanes = new Map([['shared@1', lost]]);
          await broker.exchange({
            claim: { worker: 'dead', requestId: 'r', limit: lost, lanes, leaseMs: LEASE_MS },
          });
          for (let count = 0; count < workers; count += 1)
            startWorker({ tasks: [long, quick], lease: LEASE_MS, cleanerInterval: CLEANER_MS });

          for (let second = 0; second < 60; second += 1) {
            await queue.submit(quick, null);
            await clock.advance('1s');
          }

          const pauses = startedAt.map((at, index) => at - (startedAt[index - 1] ?? 0));
          expect(Math.max(...pauses)).toBeLessThanOrEqual(2_000);
          expect(startedAt).toHaveLength(60);
        },
      ),
      { numRuns: NUM_RUNS },
    );
  });
});
