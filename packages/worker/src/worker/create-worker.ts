import { createEmitter } from '../emitter.ts';
import { drain } from './drain.ts';
import { dropUnknown } from './drop-unknown.ts';
import { Engine } from './engine.ts';
import type { WorkerEmitter, WorkerEvents } from './events.ts';
import type { WorkerOptions, WorkerSettings } from './options.ts';
import { readWorkerOptions } from './read-worker-options.ts';
import { repeat } from './repeat.ts';

/** Claims runs of its tasks, runs them and settles them. */
export interface Worker {
  readonly name: string;
  /** Begins to work; calling it again does nothing. */
  readonly start: () => void;
  /** Listens to an event; gives a function that takes the listener back. */
  readonly on: WorkerEmitter['on'];
  /** Resolves when nothing runs here and the broker has nothing waiting, scheduled or started, or it has stopped. */
  readonly drain: () => Promise<void>;
  /**
   * Claims no more, treats what runs as each task's `onShutdown` says, and resolves when everything is settled,
   * at the latest a second after `shutdownTimeout`. Nothing of the worker then keeps the process alive.
   */
  readonly stop: () => Promise<void>;
}

/** A worker over a broker; it does nothing before `start()`. @throws {PolicyError} listing every wrong option */
export function createWorker(options: WorkerOptions): Worker {
  const settings = readWorkerOptions(options);
  const emitter = createEmitter<WorkerEvents>('worker');
  const engine = new Engine(settings, emitter);
  const ended = new AbortController();
  let session: Session | undefined;
  return {
    name: settings.name,
    on: emitter.on,
    start: () => {
      session ??= openSession(settings, engine, [
        ...startRepeating(settings, engine, emitter),
        () => ended.abort(),
      ]);
    },
    drain: () => drain(settings, engine, ended.signal),
    stop: async () => session?.stop(),
  };
}

interface Session {
  readonly stop: () => Promise<void>;
}

/** How long the last exchange may take, in ms, when there is no more time: a broker may never answer. */
const LAST_WORD_MS = 1_000;

function openSession(settings: WorkerSettings, engine: Engine, cancels: (() => void)[]): Session {
  const { clock, signals, shutdownMs } = settings;
  let giveUp = (): void => {};
  const givenUp = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  const ended = Promise.race([engine.work(), givenUp]).finally(() => {
    for (const cancel of cancels) cancel();
    for (const signal of signals) process.removeListener(signal, onSignal);
  });
  const stopNow = (): void => {
    engine.stopNow();
    cancels.push(clock.setTimer(giveUp, LAST_WORD_MS));
  };
  let isStopping = false;
  const stop = (): Promise<void> => {
    if (!isStopping && shutdownMs < Infinity) cancels.push(clock.setTimer(stopNow, shutdownMs));
    if (!isStopping) engine.stop();
    isStopping = true;
    return ended;
  };
  // The first signal asks, the second one tells.
  const onSignal = (): void => (isStopping ? stopNow() : void stop());
  for (const signal of signals) process.on(signal, onSignal);
  return { stop };
}

/** What goes on beside the work; gives functions that end it. */
function startRepeating(settings: WorkerSettings, engine: Engine, emitter: WorkerEmitter): (() => void)[] {
  const { clock, heartbeatMs, cleanerMs, onUnknown } = settings;
  const onError = (doing: string) => (error: unknown) => emitter.emit('error', () => ({ error, doing }));
  return [
    repeat(clock, heartbeatMs, {
      run: () => engine.heartbeat(),
      onError: onError('heartbeating'),
    }),
    repeat(clock, cleanerMs, { run: () => engine.clean(), onError: onError('cleaning') }),
    ...(onUnknown === 'wait'
      ? []
      : [
          repeat(clock, cleanerMs, {
            run: () => dropUnknown(settings, emitter),
            onError: onError('dropping'),
          }),
        ]),
  ];
}
