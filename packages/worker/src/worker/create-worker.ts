import { createEmitter } from '../emitter.ts';
import { drain } from './drain.ts';
import { dropsUnknown } from './drop-unknown.ts';
import { Engine } from './engine.ts';
import type { WorkerEmitter, WorkerEvents } from './events.ts';
import { WORKER_EVENTS } from './events.ts';
import type { WorkerOptions, WorkerSettings } from './options.ts';
import { readWorkerOptions } from './read-worker-options.ts';
import { repeat } from './repeat.ts';
import { Session } from './session.ts';

/** Claims runs of its tasks, runs them and settles them. */
export interface Worker {
  readonly name: string;
  /** Begins to work; calling it again, or after `stop`, does nothing. */
  readonly start: () => void;
  /** Listens to an event; gives a function that takes the listener back. */
  readonly on: WorkerEmitter['on'];
  /** Resolves when nothing runs here and the broker has nothing waiting, scheduled or started, or it has stopped. */
  readonly whenIdle: () => Promise<void>;
  /**
   * Claims no more, treats what runs as each task's `onShutdown` says, and resolves when everything is settled, at the
   * latest a second after the longest `shutdownTimeout`. Nothing of the worker then keeps the process alive.
   */
  readonly stop: () => Promise<void>;
  /** Resolves when the worker has stopped, by `stop` or by a signal, and everything is settled. */
  readonly stopped: Promise<void>;
}

/** A worker over a broker; it does nothing before `start()`. @throws {InvalidOptionsError} listing every wrong option */
export function createWorker(options: WorkerOptions): Worker {
  const settings = readWorkerOptions(options);
  const emitter = createEmitter<WorkerEvents>('worker', WORKER_EVENTS, settings.clock);
  const engine = new Engine(settings, emitter);
  const { signal, ...life } = createLife(settings, engine, emitter);
  return { name: settings.name, on: emitter.on, whenIdle: () => drain(settings, engine, signal), ...life };
}

interface Life extends Pick<Worker, 'start' | 'stop' | 'stopped'> {
  /** Aborts when it has stopped. */
  readonly signal: AbortSignal;
}

function createLife(settings: WorkerSettings, engine: Engine, emitter: WorkerEmitter): Life {
  const ended = new AbortController();
  const { promise: stopped, resolve: onStopped } = promiseOf();
  let session: Session | undefined;
  const start = (): void => {
    if (session !== undefined || ended.signal.aborted) return;
    const cancels = startRepeating(settings, engine, { emitter, signal: ended.signal });
    const onEnd = (): void => {
      ended.abort();
      for (const cancel of cancels) cancel();
    };
    session = new Session({ settings, engine, emitter, onEnd });
    void session.stopped.then(onStopped);
  };
  const stop = (): Promise<void> => {
    if (session === undefined) {
      ended.abort();
      onStopped();
    } else session.stop();
    return stopped;
  };
  return { start, stop, stopped, signal: ended.signal };
}

function promiseOf(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

interface Reports {
  readonly emitter: WorkerEmitter;
  /** Aborts when the worker has stopped: what a call on its way runs into after that is no trouble. */
  readonly signal: AbortSignal;
}

/** What goes on beside the work; gives functions that end it. */
function startRepeating(
  settings: WorkerSettings,
  engine: Engine,
  { emitter, signal }: Reports,
): (() => void)[] {
  const { clock, heartbeatMs, cleanerMs } = settings;
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
    ...(dropsUnknown(settings) ? [every(cleanerMs, 'dropping', () => engine.dropUnknown())] : []),
  ];
}
