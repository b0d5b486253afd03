import type { Broker } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { Handler, Queue, TaskContext, Worker, WorkerEvents, WorkerOptions } from '@retry/worker';
import { createQueue, createWorker } from '@retry/worker';
import { afterEach, expect } from 'vitest';
import { readAgain } from './read-again.ts';

/** One emitted event of a worker, with its type. */
export type Emitted = {
  [Type in keyof WorkerEvents]: { type: Type } & WorkerEvents[Type];
}[keyof WorkerEvents];

/** A worker on the scene and everything it has emitted so far. */
export interface Actor extends Worker {
  readonly emitted: readonly Emitted[];
  /** The events of one type, without their type. */
  readonly emittedOf: <Type extends keyof WorkerEvents>(type: Type) => readonly WorkerEvents[Type][];
}

/**
 * A virtual clock, a memory broker and a queue over it. When the test ends, `audit` is balanced, and whatever a worker has sent unread would
 * have passed the check of the port, which would have changed nothing.
 */
export interface Scene {
  readonly clock: VirtualClock;
  /** The broker itself, without faults. */
  readonly broker: Broker;
  readonly queue: Queue;
  /** Starts a worker without signals, with a lease of 30 s; it polls so rarely that only wake signals matter. */
  readonly startWorker: (options: Partial<WorkerOptions> & Pick<WorkerOptions, 'tasks'>) => Actor;
}

const EVENTS: readonly (keyof WorkerEvents)[] = [
  'started',
  'completed',
  'retried',
  'failed',
  'stalled',
  'released',
  'cancelled',
  'limited',
  'breaker',
  'abandoned',
  'returnedLate',
  'fenced',
  'log',
  'stopped',
  'error',
];

/** Turns of the event loop after each timer. They take a third of the time of all these tests: `createTestClock` has more. */
const TURNS = 6;

/** As many as `createTestClock` has, for thousands of runs at the same instant. */
export const MANY_TURNS = 20;

async function turn(turns: number): Promise<void> {
  for (let count = 0; count < turns; count += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

const open: { readonly scene: Scene; readonly workers: Worker[]; readonly wrong: readonly unknown[] }[] = [];

/** Sets the scene; workers that a test leaves running are stopped after it. */
export function setScene(startAt = 0, turns = TURNS): Scene {
  const clock = createVirtualClock({ startAt, settle: () => turn(turns) });
  const { broker, wrong } = readAgain(createMemoryBroker({ clock, keepCompleted: { count: 100_000 } }));
  const workers: Worker[] = [];
  const scene: Scene = {
    clock,
    broker,
    queue: createQueue({ broker, clock }),
    startWorker: (options) => {
      const worker = createWorker({
        broker,
        clock,
        signals: [],
        random: () => 0.5,
        pollInterval: '1m',
        ...options,
      });
      workers.push(worker);
      const actor = listenTo(worker);
      worker.start();
      return actor;
    },
  };
  open.push({ scene, workers, wrong });
  return scene;
}

function listenTo(worker: Worker): Actor {
  const emitted: Emitted[] = [];
  for (const type of EVENTS) worker.on(type, (event) => void emitted.push({ type, ...event } as Emitted)); // of that very type
  return {
    ...worker,
    emitted,
    emittedOf: ((type) =>
      emitted
        .filter((event) => event.type === type)
        .map(({ type: _, ...event }) => event)) as Actor['emittedOf'], // as filtered
  };
}

/** Never settles. */
export function never(): Promise<never> {
  return new Promise(() => {});
}

/** A handler that ends when it is stopped. */
export function untilStopped(_payload: unknown, { signal }: Pick<TaskContext, 'signal'>): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** Returns a handler that ends after `durationMs` of the scene's time, or when it is stopped. */
export function taking(clock: VirtualClock, durationMs: number): Handler<unknown, void> {
  return (payload, ctx) => Promise.race([pass(clock, durationMs), untilStopped(payload, ctx)]);
}

/** Advances the clock until every run has ended, and a minute more; at most by so many minutes. */
export async function advanceUntilEnded(
  { clock, queue }: Pick<Scene, 'clock' | 'queue'>,
  { minutes }: { readonly minutes: number },
): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    const { created, ended } = await queue.counts();
    await clock.advance('1m');
    if (Object.values(ended).reduce((sum, count) => sum + count, 0) === created) return;
  }
}

/** Resolves after `delayMs` of the scene's time. */
export function pass(clock: VirtualClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, delayMs));
}

afterEach(async () => {
  for (const { scene, workers, wrong } of open.splice(0)) {
    const stopped = Promise.all(workers.map((worker) => worker.stop()));
    await scene.clock.advance('1m');
    await stopped;
    expect((await scene.broker.audit()).unbalanced).toBe(0);
    expect(wrong).toEqual([]);
  }
});
