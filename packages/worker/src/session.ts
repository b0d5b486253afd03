import { leaveBroker, useBroker } from './broker-use.ts';
import type { Engine } from './engine/engine.ts';
import type { WorkerEmitter } from './events.ts';
import { listenToSignals } from './process-signals.ts';
import { sleep } from './sleep.ts';
import type { SignalName, WorkerSettings } from './worker-options.ts';

/** How long the last exchange, or closing the broker, may take, in ms: a server may never answer. */
const LAST_EXCHANGE_MS = 1_000;

/** What a session works with. */
export interface SessionParts {
  readonly settings: WorkerSettings;
  readonly engine: Engine;
  readonly emitter: WorkerEmitter;
  /** Ends what runs beside the work. */
  readonly onEnd: () => void;
}

/** A worker from its start until it has stopped. */
export class Session {
  /** Resolves when everything is settled and nothing of the worker keeps the process alive. */
  readonly stopped: Promise<void>;
  readonly #parts: SessionParts;
  #giveUp = (): void => {};
  #cancelTimer = (): void => {};
  #isStopping = false;
  /** The signal that stopped it. */
  #signal: SignalName | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    useBroker(parts.settings.broker);
    const givenUp = new Promise<void>((resolve) => {
      this.#giveUp = resolve;
    });
    const signals = listenToSignals(parts.settings.signals, (signal) => this.#onSignal(signal));
    this.stopped = Promise.race([parts.engine.work(), givenUp])
      .then(() => this.#leave())
      .finally(signals.end);
  }

  /** Lets handlers finish as their tasks say. */
  stop(): void {
    const { engine, settings } = this.#parts;
    if (this.#isStopping) return;
    this.#isStopping = true;
    engine.stop();
    if (settings.shutdownMs < Infinity) this.#in(settings.shutdownMs, () => this.#endOfTime());
  }

  /** The first signal asks, the second one insists. */
  #onSignal(signal: SignalName): void {
    const isFirst = this.#signal === undefined;
    this.#signal = signal;
    if (isFirst) this.stop();
    else this.#stopNow();
  }

  /** A task may let its handlers run on for longer than its worker does. */
  #endOfTime(): void {
    if (this.#parts.engine.hasRuns) this.#in(LAST_EXCHANGE_MS, () => this.#endOfTime());
    else this.#stopNow();
  }

  #stopNow(): void {
    this.#isStopping = true;
    this.#parts.engine.stopNow();
    this.#in(LAST_EXCHANGE_MS, this.#giveUp);
  }

  /** The latest of its timers holds. */
  #in(delayMs: number, callback: () => void): void {
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
