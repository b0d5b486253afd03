import { GROUP_EVENTS_MS, LOOKING_FOR_GROUPS } from '../engine/attendance/group-events.ts';
import { dropsUnknown } from '../engine/drop-unknown.ts';
import type { Engine } from '../engine/engine.ts';
import { workerStarted, workerStopped } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import { repeat } from '../sleep.ts';
import type { DrainEnd, DrainLimits, DrainReport } from './drain.ts';
import { countEvents, readDrainOptions } from './drain.ts';
import { callOutside } from './outside.ts';
import { Session } from './session.ts';

/** What a worker's life works with. */
export interface LifeParts {
  readonly settings: WorkerSettings;
  readonly engine: Engine;
  readonly emitter: WorkerEmitter;
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

  /** Begins to work. */
  start(): void {
    if (this.#begin('works')) this.#open().begin();
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
  { settings, engine, emitter }: LifeParts,
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
  session.begin({ maxRuns, onEnd: end });
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
