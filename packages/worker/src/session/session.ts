import type { Broker } from '@retry/core/broker';
import type { Drain, Engine } from '../engine/engine.ts';
import type { WorkerEmitter } from '../events.ts';
import type { SignalName, WorkerSettings } from '../options.ts';
import { sleep } from '../sleep.ts';
import { callOutside } from './outside.ts';
import { listenToSignals } from './process-signals.ts';

/** How long the last exchange, or closing the broker, may take, in ms: a server may never answer. */
const LAST_EXCHANGE_MS = 1_000;

/** What a session works with. */
export interface SessionParts {
  readonly settings: WorkerSettings;
  readonly engine: Engine;
  readonly emitter: WorkerEmitter;
  /** Stops the worker's periodic jobs. */
  readonly onEnd: () => void;
}

/** The time of a worker from its start until it has stopped. */
export class Session {
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
  if (use.workers === 0 && use.isProcessEnding && broker.ownsConnection === true) await broker.close();
}
