import type { AsyncDispose } from '@retry/core';
import { disposedBy } from '@retry/core/fields';
import { createEmitter } from './emitter.ts';
import { GROUP_EVENTS_MS, LOOKING_FOR_GROUPS } from './engine/attendance/group-events.ts';
import { dropsUnknown } from './engine/drop-unknown.ts';
import { Engine } from './engine/engine.ts';
import { workerStopped } from './errors.ts';
import type { WorkerEmitter, WorkerEvents } from './events.ts';
import { WORKER_EVENTS } from './events.ts';
import type { WorkerOptions, WorkerSettings } from './options.ts';
import { readWorkerOptions } from './options.ts';
import { callOutside } from './session/outside.ts';
import { Session } from './session/session.ts';
import { repeat, sleep } from './sleep.ts';

/** Claims runs of its tasks, calls their handlers and settles the outcomes. `await using` stops it. */
export interface Worker extends AsyncDispose {
  /** Its name in leases, in the errors of attempts and in telemetry; a random one unless it was given. */
  readonly name: string;
  /**
   * By whom leases are renewed while the event loop is blocked: a thread, or `'loop'`: nothing renews them. It changes to `'loop'`
   * where the server refuses the thread's connection, or the thread ends again and again.
   */
  readonly leaseRenewal: 'thread' | 'loop';
  /**
   * Starts working. Does nothing when called again.
   *
   * @throws {RetryError} `WORKER_STOPPED` after `stop`, or after a signal has stopped it: create another worker
   */
  readonly start: () => void;
  /** Adds a listener for an event and returns a function that removes it. */
  readonly on: WorkerEmitter['on'];
  /** Resolves when nothing runs here and the broker has no run that waits, is scheduled or started; or when it has stopped. */
  readonly whenIdle: () => Promise<void>;
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
  const engine = new Engine(settings, emitter);
  const { signal, ...life } = createLife(settings, engine, emitter);
  return {
    name: settings.name,
    get leaseRenewal() {
      return engine.leaseRenewal;
    },
    on: emitter.on,
    whenIdle: () => whenIdle(settings, engine, signal),
    ...life,
    ...disposedBy('stop'),
  };
}

interface Life extends Pick<Worker, 'start' | 'stop' | 'stopped'> {
  /** Aborts when the worker has stopped. */
  readonly signal: AbortSignal;
}

function createLife(settings: WorkerSettings, engine: Engine, emitter: WorkerEmitter): Life {
  const ended = new AbortController();
  const { promise: stopped, resolve: onStopped } = createDeferred();
  let session: Session | undefined;
  const start = (): void => {
    if (ended.signal.aborted || session?.isStopping === true) throw workerStopped(settings.name);
    if (session !== undefined) return;
    const cancels = startRepeating(settings, engine, { emitter, signal: ended.signal });
    const onEnd = (): void => {
      ended.abort();
      for (const cancel of cancels) cancel();
    };
    session = new Session({ settings, engine, emitter, onEnd });
    void session.stopped.then(onStopped);
    session.begin();
  };
  const stop = (): Promise<void> => {
    if (session === undefined) {
      ended.abort();
      onStopped();
    } else session.stop();
    return stopped;
  };
  // Whatever request starts or stops it: its timers, loops and abort signals are of none.
  return { start: () => callOutside(start), stop: () => callOutside(stop), stopped, signal: ended.signal };
}

function createDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

interface Reports {
  readonly emitter: WorkerEmitter;
  /** Aborts when the worker has stopped: errors of calls that are still pending are not reported after that. */
  readonly signal: AbortSignal;
}

/** Starts the worker's periodic jobs. @returns functions that stop them */
function startRepeating(
  settings: WorkerSettings,
  engine: Engine,
  { emitter, signal }: Reports,
): (() => void)[] {
  const { broker, clock, heartbeatMs, cleanerMs } = settings;
  const every = (everyMs: number, doing: string, run: () => Promise<void>): (() => void) =>
    repeat(clock, everyMs, {
      run,
      onError: (error) => {
        if (!signal.aborted) emitter.emit('error', () => ({ error, doing }));
      },
    });
  return [
    every(heartbeatMs, 'heartbeating', () => engine.heartbeat()),
    every(cleanerMs, 'cleaning', () => engine.clean()),
    every(cleanerMs, 'attending', () => engine.attend()),
    ...(broker.insight === undefined
      ? []
      : [every(Math.min(cleanerMs, GROUP_EVENTS_MS), LOOKING_FOR_GROUPS, () => engine.emitGroups())]),
    ...(broker.operations === undefined
      ? []
      : [every(Math.min(cleanerMs, CARRY_MS), 'carrying an operation on', () => engine.carryOn())]),
    ...(dropsUnknown(settings) ? [every(cleanerMs, 'dropping', () => engine.dropUnknown())] : []),
  ];
}

/** How often a worker asks for operations on dead letters that no other carrier holds, at least, in ms. */
const CARRY_MS = 5_000;

/** How often `whenIdle` asks whether everything is done, in ms. */
const IDLE_POLL_MS = 20;

/** Waits until everything is done, or the signal says that the worker has stopped. */
async function whenIdle(
  { broker, clock, pollMs }: WorkerSettings,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { submitted, scheduled, started } = await broker.audit();
    if (engine.isIdle && submitted + scheduled + started === 0) return;
    await sleep(clock, Math.min(pollMs, IDLE_POLL_MS), signal);
  }
}
