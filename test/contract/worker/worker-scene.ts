import type { Broker, Run } from '@retry/core/broker';
import type { Clock } from '@retry/core/clock';
import type { Queue, Worker, WorkerOptions } from '@retry/worker';
import { createQueue, createWorker } from '@retry/worker';
import { afterEach, beforeEach, expect } from 'vitest';

/** A queue that several processes may work on. */
export interface WorkerHarness {
  /** A broker over the same runs, as another process would open it. */
  readonly connect: () => Promise<Broker>;
  /** Closes what was opened. */
  readonly close: () => Promise<void>;
  /** The clock of the brokers, if it is not the system's: it goes by itself. */
  readonly clock?: Clock;
  /** Where no thread can renew leases, because the client is the test's: a worker that is not told so warns of it. */
  readonly leaseRenewal?: 'loop';
}

/** A test's queue and its workers. */
export interface WorkerScene {
  readonly broker: Broker;
  readonly queue: Queue;
  /** Starts a worker over a connection of its own; it is stopped after the test. */
  readonly startWorker: (options: Partial<WorkerOptions> & Pick<WorkerOptions, 'tasks'>) => Promise<Worker>;
  /** Another producer over a connection of its own. */
  readonly openQueue: () => Promise<Queue>;
  /** A broker over a connection of its own. */
  readonly connect: () => Promise<Broker>;
  /** Resolves with the run once it is in this state; a run that never is exceeds the timeout of the test. */
  readonly reach: (id: string, state: Run['state']) => Promise<Run>;
  /** Returns the milliseconds since some instant. */
  readonly now: () => number;
  /** Waits this many milliseconds. */
  readonly rest: (ms: number) => Promise<void>;
}

/** Sets a scene for each test; after it, its workers are stopped and the audit is balanced. */
export function useWorkerScene(open: () => Promise<WorkerHarness>): WorkerScene {
  let harness: WorkerHarness | undefined;
  let broker: Broker | undefined;
  const workers: Worker[] = [];
  const connect = (): Promise<Broker> => (harness ?? missing()).connect();
  const onClock = () => (harness?.clock === undefined ? {} : { clock: harness.clock });
  const leaseRenewal = () =>
    harness?.leaseRenewal === undefined ? {} : { leaseRenewal: harness.leaseRenewal };
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => void (harness?.clock?.setTimer ?? setTimeout)(resolve, ms));
  beforeEach(async () => {
    harness = await open();
    broker = await harness.connect();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    const { unbalanced } = await (broker ?? missing()).audit();
    await harness?.close();
    expect(unbalanced).toBe(0);
  });
  return {
    get broker() {
      return broker ?? missing();
    },
    get queue() {
      return createQueue({ broker: broker ?? missing(), ...onClock() });
    },
    startWorker: async (options) => {
      const worker = createWorker({
        broker: await connect(),
        signals: [],
        shutdownTimeout: '5s',
        ...onClock(),
        ...leaseRenewal(),
        ...options,
      });
      workers.push(worker);
      worker.start();
      return worker;
    },
    openQueue: async () => createQueue({ broker: await connect(), ...onClock() }),
    connect,
    now: () => (harness?.clock ?? performance).now(),
    rest,
    reach: async (id, state) => {
      for (;;) {
        const [run] = await (broker ?? missing()).get([id]);
        if (run?.state === state) return run;
        await rest(5);
      }
    },
  };
}

/** Rejects with the reason of the signal when it aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** A promise and the function that resolves it. */
export function promiseOf<Value>(): {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
} {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

function missing(): never {
  throw new Error('the scene is not set yet');
}
