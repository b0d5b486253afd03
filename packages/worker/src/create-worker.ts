import type { AsyncDispose } from '@retry/core';
import { listHolds } from '@retry/core/broker/kit';
import { disposedBy } from '@retry/core/fields';
import { createEmitter } from './emitter.ts';
import { Engine } from './engine/engine.ts';
import { WorkerContext } from './engine/worker-context.ts';
import type { WorkerEmitter, WorkerEvents } from './events.ts';
import { WORKER_EVENTS } from './events.ts';
import type { WorkerOptions, WorkerSettings } from './options.ts';
import { readWorkerOptions } from './options.ts';
import { Scheduler } from './schedules/scheduler.ts';
import type { DrainOptions, DrainReport } from './session/drain.ts';
import { Life } from './session/life.ts';
import { callOutside } from './session/outside.ts';
import type { WhenIdleOptions } from './session/when-idle.ts';
import { whenIdle } from './session/when-idle.ts';

/** Claims runs of its tasks, calls their handlers and settles the outcomes. `await using` stops it. */
export interface Worker extends AsyncDispose {
  /** The worker's name in leases, in the errors of attempts and in telemetry; a random one unless it was given. */
  readonly name: string;
  /**
   * What renews leases while the event loop is blocked: a thread, or `'loop'`: nothing does. It changes to `'loop'`
   * where the server refuses the thread's connection, or the thread ends again and again.
   */
  readonly leaseRenewal: 'thread' | 'loop';
  /**
   * Starts working. Does nothing when called again.
   *
   * @throws {RetryError} `WORKER_STOPPED` after `stop`, or after a signal has stopped it; `WORKER_STARTED` after `drain`: create another
   *   worker
   */
  readonly start: () => void;
  /**
   * Fires the schedules that are due, claims what is due, calls its handlers, settles their outcomes and stops: for functions, jobs and
   * tests in which no worker lives on. It also settles runs whose lease has expired, for which it may have to wait for a third of the lease and 2.5 s. Resolves when the
   * worker has stopped; nothing of it then keeps the process alive.
   *
   * @throws {InvalidOptionsError} listing every wrong option
   * @throws {RetryError} `WORKER_STOPPED` after `stop`; `WORKER_STARTED` after `start` or `drain`: create another worker
   * @throws what the broker rejected with, when it could not serve until the drain was ended
   * @throws {RetryError} `NO_ANSWER` when it had neither answered nor rejected a claim by then
   */
  readonly drain: (options?: DrainOptions) => Promise<DrainReport>;
  /** Adds a listener for an event and returns a function that removes it. */
  readonly on: WorkerEmitter['on'];
  /**
   * Resolves with whether it works, so neither before `start` nor once it stops, and its broker answers within a second: for a readiness
   * probe. Never rejects.
   */
  readonly isReady: () => Promise<boolean>;
  /**
   * Resolves when nothing runs here and the broker has no run that waits, is scheduled or started; or when it has stopped. A run that no
   * worker executes, of an older version for instance, keeps it waiting.
   *
   * @throws {InvalidOptionsError} for a wrong option
   * @throws the reason of the signal, and what the broker rejects with
   */
  readonly whenIdle: (options?: WhenIdleOptions) => Promise<void>;
  /**
   * Stops claiming, treats running handlers as each task's `onShutdown` says, and resolves when everything is settled: at the
   * latest two seconds after the longest `shutdownTimeout`. Nothing of the worker then keeps the process alive.
   */
  readonly stop: () => Promise<void>;
  /** Resolves when the worker has stopped, by `stop` or by a signal, and everything is settled. */
  readonly stopped: Promise<void>;
}

/** Creates a worker over a broker; it does nothing before `start()`. @throws {InvalidOptionsError} listing every wrong option */
export function createWorker(options: WorkerOptions): Worker {
  const settings = readWorkerOptions(options);
  const emitter = createEmitter<WorkerEvents>('worker', WORKER_EVENTS, settings.clock);
  const worker = new WorkerContext(settings, emitter);
  const engine = new Engine(worker);
  const scheduler = new Scheduler(settings, emitter);
  const life = new Life(worker, engine, scheduler);
  return {
    name: settings.name,
    get leaseRenewal() {
      return engine.leaseRenewal;
    },
    on: emitter.on,
    isReady: () => callOutside(isReady, settings, life),
    whenIdle: (options) => whenIdle(worker, life.signal, options),
    // Whatever request starts or stops it: its timers, loops and abort signals are of none.
    start: () => callOutside(() => life.start()),
    drain: (options) => callOutside(() => life.drain(options)),
    stop: () => callOutside(() => life.stop()),
    stopped: life.stopped,
    ...disposedBy('stop'),
  };
}

/** How long a broker may take to answer a readiness probe, in ms: as long as Kubernetes waits for one. */
const READY_MS = 1_000;

function isReady({ broker, clock }: WorkerSettings, life: Life): Promise<boolean> {
  if (!life.isWorking) return Promise.resolve(false);
  return new Promise((resolve) => {
    const cancel = clock.setTimer(() => resolve(false), READY_MS);
    const end = (isAnswered: boolean): void => {
      cancel();
      resolve(isAnswered && life.isWorking);
    };
    listHolds(broker).then(
      () => end(true),
      () => end(false),
    );
  });
}
