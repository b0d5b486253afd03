import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => void vi.restoreAllMocks());

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Settles in full after each timer. */
const createFullClock = (): VirtualClock =>
  createVirtualClock({
    settle: async () => {
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    },
  });

/** What the attempts of a run do, and what becomes of it. */
const aRun = fc.record({
  delayMs: fc.constantFrom(0, 1, 500, 5_000, 7_500),
  /** For each attempt: turns of the event loop, then virtual time, then turns again. */
  attempts: fc.array(
    fc.record({
      turns: fc.nat({ max: 8 }),
      sleepMs: fc.constantFrom(0, 500, 5_000, 12_345),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  cancelAtMs: fc.option(fc.constantFrom(250, 5_000, 20_000), { nil: undefined }),
});

const aWorld = fc.record({
  runs: fc.array(aRun, { minLength: 1, maxLength: 4 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  pollInterval: fc.constantFrom('500ms', '5s', '10s'),
  base: fc.constantFrom('500ms', '5s', '10s'),
});

type World = typeof aWorld extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays it. @returns what happened, with the instant of each */
async function play(
  clock: VirtualClock,
  { runs, concurrency, pollInterval, base }: World,
): Promise<readonly string[]> {
  const happened: string[] = [];
  const note = (what: string): void => void happened.push(`${clock.now()} ${what}`);
  const indexes = new Map<string, number>();
  const broker = createMemoryBroker({ clock });
  const queue = createQueue({ broker, clock });
  const task = defineTask({
    name: 'task',
    retry: { maxAttempts: 4, backoff: { type: 'constant', base }, maxDelay: '1h', jitter: 'none' },
    run: async (index: number, { attempt, signal }) => {
      note(`${index} starts ${attempt}`);
      signal.addEventListener('abort', () => note(`${index} aborts ${attempt}`));
      const { turns, sleepMs } = runs[index]?.attempts[attempt - 1] ?? { turns: 0, sleepMs: 0 };
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      if (sleepMs > 0) {
        await new Promise<void>((resolve) => {
          const cancel = clock.setTimer(resolve, sleepMs);
          signal.addEventListener('abort', () => {
            cancel();
            resolve();
          });
        });
      }
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      note(`${index} ends ${attempt}`);
      if (attempt < (runs[index]?.attempts.length ?? 0)) throw new Error('not yet');
    },
  });
  const worker = createWorker({
    broker,
    tasks: [task],
    clock,
    signals: [],
    concurrency,
    pollInterval,
    random: () => 0.5,
  });
  for (const type of ['completed', 'retried', 'failed', 'cancelled'] as const)
    worker.on(type, ({ id }) => note(`${indexes.get(id)} ${type}`));
  worker.start();
  for (const [index, { delayMs, cancelAtMs }] of runs.entries()) {
    const { id } = await queue.submit(task, index, { delay: delayMs });
    indexes.set(id, index);
    if (cancelAtMs !== undefined) clock.setTimer(() => void queue.cancel(id), cancelAtMs);
  }
  await clock.advance('90s');
  await worker.stop();
  return happened;
}

describe('createTestClock', () => {
  it('lets everything happen at the instant at which it happens when every timer settles in full', async () => {
    await fc.assert(
      fc.asyncProperty(aWorld, async (world) => {
        expect(await play(createTestClock(), world)).toEqual(await play(createFullClock(), world));
      }),
      { numRuns: 30 },
    );
  });

  it('takes a few turns of the event loop for each timer of an idle worker', async () => {
    const clock = createTestClock();
    let timers = 0;
    const counted = {
      now: clock.now,
      setTimer: (callback: () => void, delayMs: number) =>
        clock.setTimer(() => {
          timers += 1;
          callback();
        }, delayMs),
    };
    const broker = createMemoryBroker({ clock: counted });
    const task = defineTask({ name: 'idle', run: async () => {} });
    const worker = createWorker({ broker, tasks: [task], clock: counted, signals: [] });
    worker.start();
    await clock.advance('1m'); // its beginning
    const turns = vi.spyOn(globalThis, 'setImmediate');
    timers = 0;

    await clock.advance('1h');

    expect(turns.mock.calls.length / timers).toBeLessThan(4);
    await worker.stop();
  });
});
