import { CancelledError } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import { callOutside } from '../session/outside.ts';
import type { Execution } from './execution.ts';

/** How often the broker is asked for cancel requests, and how long a handler runs before it is asked about, in ms. */
const POLL_MS = 500;

/** The most leases that one call asks about. */
const MAX_LEASES = 1_000;

/**
 * Passes cancel requests to running handlers: immediately if the broker notifies of them, otherwise within a second. It polls
 * only while there is a handler that has run for some time.
 */
export class CancelWatch {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #executions: Iterable<Execution>;
  #cancelTimer: (() => void) | undefined;
  #unsubscribe: (() => void) | undefined;
  #isPolling = false;
  #isClosed = false;

  /** @param executions - all claimed runs of the worker */
  constructor(settings: WorkerSettings, emitter: WorkerEmitter, executions: Iterable<Execution>) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#executions = executions;
  }

  /** Subscribes to the broker's notifications; without them, it polls. */
  open(): void {
    try {
      this.#unsubscribe = this.#settings.broker.onCancelRequest?.((id) => {
        // The broker may call from within the request that cancels, and the signal of the handler from here.
        for (const execution of this.#executions)
          if (execution.run.id === id) callOutside(cancelExecution, execution);
      });
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Schedules a poll, because a handler has started. Whether one still runs is checked then: most end sooner. */
  arm(): void {
    if (this.#isClosed || this.#isPolling || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#settings.clock.setTimer(() => void this.#poll(), POLL_MS);
  }

  /** Ends subscription and polling. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    try {
      this.#unsubscribe?.();
    } catch (error) {
      this.#onError(error);
    }
  }

  async #poll(): Promise<void> {
    const report = (error: unknown): void => (this.#isClosed ? undefined : this.#onError(error));
    this.#cancelTimer = undefined;
    this.#isPolling = true;
    const asked = [...this.#executions].filter(({ durationMs }) => durationMs >= POLL_MS);
    for (let first = 0; first < asked.length; first += MAX_LEASES) {
      await this.#askAbout(asked.slice(first, first + MAX_LEASES)).catch(report);
    }
    this.#isPolling = false;
    if ([...this.#executions].some(({ hasStarted }) => hasStarted)) this.arm();
  }

  async #askAbout(executions: readonly Execution[]): Promise<void> {
    const { broker } = this.#settings;
    const leases = executions.map(({ run: { id, epoch } }) => ({ id, epoch }));
    const byId = new Map(executions.map((execution) => [execution.run.id, execution]));
    for (const { id, epoch } of await broker.findCancelRequests(leases)) {
      const execution = byId.get(id);
      if (execution?.run.epoch === epoch) cancelExecution(execution);
    }
  }

  #onError(error: unknown): void {
    this.#emitter.emit('error', () => ({ error, doing: 'asking for cancel requests' }));
  }
}

/** Passes a cancel request to a run: its signal aborts, or it ends. */
export function cancelExecution(execution: Execution): void {
  execution.interrupt({ type: 'cancelled' }, new CancelledError());
}
