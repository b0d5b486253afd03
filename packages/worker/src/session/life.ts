import type { Broker } from '@retry/core/broker';
import { GROUP_EVENTS_MS, LOOKING_FOR_GROUPS } from '../engine/attendance/attendance.ts';
import { dropsUnknown } from '../engine/drop-unknown.ts';
import type { Drain, Engine } from '../engine/engine.ts';
import { workerStarted, workerStopped } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import type { SignalName, WorkerSettings } from '../options.ts';
import type { Scheduler } from '../schedules/scheduler.ts';
import { repeat, sleep } from '../sleep.ts';
import type { DrainEnd, DrainLimits, DrainReport } from './drain.ts';
import { countEvents, readDrainOptions } from './drain.ts';
import { callOutside } from './outside.ts';
import { listenToSignals } from './process-signals.ts';

/** What a worker's life works with. */
export interface LifeParts {
  readonly settings: WorkerSettings;
  readonly engine: Engine;
  readonly emitter: WorkerEmitter;
  readonly scheduler: Scheduler;
}

/** The life of a worker: it is started or drains once, and stops once. Its calls must come from outside every request. */
export class Life {
  /** Resolves when the worker has stopped. */
  readonly stopped: Promise<void>;
  readonly #parts: LifeParts;
  readonly #ended = new AbortController();
  #onStopped = (): void => {};
  #session: Session | undefined;
  #does: 'works' | 'drains' | undefined;

  constructor(parts: LifeParts) {
    this.#parts = parts;
    this.stopped = new Promise((resolve) => {
      this.#onStopped = resolve;
    });
  }

  /** Aborts when the worker has stopped. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether it has begun, and was not stopped. */
  get isWorking(): boolean {
    return this.#session?.isStopping === false && !this.signal.aborted;
  }

  /** Begins to work. */
  start(): void {
    if (!this.#begin('works')) return;
    this.#open().begin();
    void this.#parts.scheduler.run(this.signal);
  }

  /** Does what is due, and stops. */
  async drain(options: unknown): Promise<DrainReport> {
    const limits = readDrainOptions(options);
    this.#begin('drains');
    return drainOnce(this.#parts, this.#open(), limits);
  }

  /** Stops, if it has ever begun; resolves when everything is settled. */
  stop(): Promise<void> {
    if (this.#session === undefined) {
      this.#ended.abort();
      this.#onStopped();
    } else this.#session.stop();
    return this.stopped;
  }

  /** @returns whether it begins now: a second `start` changes nothing */
  #begin(does: 'works' | 'drains'): boolean {
    const { name } = this.#parts.settings;
    if (this.#ended.signal.aborted || this.#session?.isStopping === true) throw workerStopped(name);
    if (this.#does === 'works' && does === 'works') return false;
    if (this.#does !== undefined) throw workerStarted(name, this.#does);
    this.#does = does;
    return true;
  }

  #open(): Session {
    const cancels = startRepeating(this.#parts, this.#ended.signal);
    const onEnd = (): void => {
      this.#ended.abort();
      for (const cancel of cancels) cancel();
    };
    const session = new Session({ ...this.#parts, onEnd });
    this.#session = session;
    void session.stopped.then(this.#onStopped);
    return session;
  }
}

/** Works until there is nothing more to do, or a limit ends it, and stops. */
async function drainOnce(
  { settings, engine, emitter, scheduler }: LifeParts,
  session: Session,
  { maxRuns, maxMs, signal }: DrainLimits,
): Promise<DrainReport> {
  const counts = countEvents(emitter);
  let endedBy: DrainEnd = 'stop';
  const end = (by: DrainEnd): void => {
    if (session.isStopping) return;
    endedBy = by;
    session.stop();
  };
  const onAbort = (): void => callOutside(end, 'signal');
  signal?.addEventListener('abort', onAbort);
  const cancelTimer = maxMs < Infinity ? settings.clock.setTimer(() => end('maxMs'), maxMs) : undefined;
  const fire = (stopping: AbortSignal): Promise<number> => scheduler.fireOnce(stopping);
  session.begin({ maxRuns, fire, onEnd: end });
  if (signal?.aborted === true) end('signal');
  await session.stopped;
  cancelTimer?.();
  signal?.removeEventListener('abort', onAbort);
  if (engine.startError !== undefined) throw engine.startError.error;
  const nextRunAt = engine.nextRunAt(endedBy);
  return { ...counts(), endedBy, ...(nextRunAt < Infinity && { nextRunAt }) };
}

/** Starts the worker's periodic jobs. @param signal - aborts when the worker has stopped: later errors are not reported */
function startRepeating({ settings, engine, emitter }: LifeParts, signal: AbortSignal): (() => void)[] {
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
    ...(broker.figures === undefined
      ? []
      : [every(Math.min(cleanerMs, GROUP_EVENTS_MS), LOOKING_FOR_GROUPS, () => engine.emitGroups())]),
    every(Math.min(cleanerMs, CARRY_MS), 'carrying an operation on', () => engine.carryOn()),
    ...(dropsUnknown(settings) ? [every(cleanerMs, 'dropping', () => engine.dropUnknown())] : []),
  ];
}

/** How often a worker asks for operations on dead letters that no other carrier holds, at least, in ms. */
const CARRY_MS = 5_000;

/** How long the last exchange, or closing the broker, may take, in ms: a server may never answer. */
const LAST_EXCHANGE_MS = 1_000;

/** What a session works with. */
interface SessionParts extends LifeParts {
  /** Stops the worker's periodic jobs. */
  readonly onEnd: () => void;
}

/** The time of a worker from its start until it has stopped. */
class Session {
  /** Resolves when everything is settled and nothing of the worker keeps the process alive. */
  readonly stopped: Promise<void>;
  readonly #parts: SessionParts;
  #begin = (_: Promise<void>): void => {};
  #giveUp = (): void => {};
  #cancelTimer = (): void => {};
  #isStopping = false;
  /** The signal that stopped the worker. */
  #signal: SignalName | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    useBroker(parts.settings.broker);
    const givenUp = new Promise<void>((resolve) => {
      this.#giveUp = resolve;
    });
    const signals = listenToSignals(parts.settings.signals, (signal) =>
      callOutside(() => this.#onSignal(signal)),
    );
    const working = new Promise<void>((resolve) => {
      this.#begin = resolve;
    });
    this.stopped = Promise.race([working, givenUp])
      .then(() => this.#leave())
      .finally(signals.end);
  }

  /** Whether it was stopped. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Begins to work. Not in the constructor: what it reports immediately may stop the worker. @param drain - does no more than that */
  begin(drain?: Drain): void {
    this.#begin(this.#parts.engine.work(drain));
  }

  /** Stops the worker; handlers finish as their tasks say. */
  stop(): void {
    const { engine, settings } = this.#parts;
    if (this.#isStopping) return;
    this.#isStopping = true;
    engine.stop();
    if (settings.shutdownMs < Infinity) this.#after(settings.shutdownMs, () => this.#onShutdownTimeout());
  }

  /** The first signal stops the worker, the second one stops it immediately. */
  #onSignal(signal: SignalName): void {
    const isFirst = this.#signal === undefined;
    this.#signal = signal;
    if (isFirst) this.stop();
    else this.#stopNow();
  }

  /** A task's own `shutdownTimeout` may be longer than the worker's. */
  #onShutdownTimeout(): void {
    if (this.#parts.engine.hasRuns) this.#after(LAST_EXCHANGE_MS, () => this.#onShutdownTimeout());
    else this.#stopNow();
  }

  #stopNow(): void {
    this.#isStopping = true;
    this.#parts.engine.stopNow();
    this.#after(LAST_EXCHANGE_MS, this.#giveUp);
  }

  /** Sets the session's timer; it has only one, so the latest call counts. */
  #after(delayMs: number, callback: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.settings.clock.setTimer(callback, delayMs);
  }

  async #leave(): Promise<void> {
    const { settings, emitter, onEnd } = this.#parts;
    this.#cancelTimer();
    onEnd();
    const left = new AbortController();
    await Promise.race([
      leaveBroker(settings.broker, { isProcessEnding: this.#signal !== undefined })
        .catch((error: unknown) => emitter.emit('error', () => ({ error, doing: 'closing the broker' })))
        .finally(() => left.abort()),
      sleep(settings.clock, LAST_EXCHANGE_MS, left.signal),
    ]);
    emitter.emit('stopped', () => (this.#signal === undefined ? {} : { signal: this.#signal }));
  }
}

interface BrokerUse {
  workers: number;
  /** A signal stopped one of the workers: the process is about to end. */
  isProcessEnding: boolean;
}

const USES = new WeakMap<Broker, BrokerUse>();

/** Counts a worker that uses the broker. */
function useBroker(broker: Broker): void {
  const use = USES.get(broker) ?? { workers: 0, isProcessEnding: false };
  use.workers += 1;
  USES.set(broker, use);
}

/**
 * Counts a worker that has stopped. If a signal stopped any of them, the last one closes a broker that owns its connection:
 * nothing else would close it, and an open connection keeps the process alive.
 */
async function leaveBroker(
  broker: Broker,
  { isProcessEnding }: Pick<BrokerUse, 'isProcessEnding'>,
): Promise<void> {
  const use = USES.get(broker);
  if (use === undefined) return;
  use.workers -= 1;
  use.isProcessEnding ||= isProcessEnding;
  if (use.workers === 0 && use.isProcessEnding && broker.facts?.ownsConnection === true) await broker.close();
}
