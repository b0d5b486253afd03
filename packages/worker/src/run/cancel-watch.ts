import { CancelledError } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import type { Execution } from './execution.ts';

/** How often the broker is asked for cancel requests, and how long a handler runs before it is asked about, in ms. */
const POLL_MS = 500;

/** The most leases that one call asks about. */
const MAX_LEASES = 1_000;

/**
 * Passes cancel requests to running handlers within a second. It asks the broker only while there is a handler that has run for some
 * time.
 */
export class CancelWatch {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #executions: Iterable<Execution>;
  #cancelTimer: (() => void) | undefined;
  #isPolling = false;
  #isClosed = false;

  /** @param executions - all claimed runs of the worker */
  constructor(settings: WorkerSettings, emitter: WorkerEmitter, executions: Iterable<Execution>) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#executions = executions;
  }

  /** Schedules a poll, because a handler has started. Whether one still runs is checked then: most end sooner. */
  arm(): void {
    if (this.#isClosed || this.#isPolling || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#settings.clock.setTimer(() => void this.#poll(), POLL_MS);
  }

  /** Ends polling. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
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
    const answers = await broker.heartbeat(leases, 0);
    for (const [index, execution] of executions.entries())
      if (answers[index] === 'cancel') cancelExecution(execution);
  }

  #onError(error: unknown): void {
    this.#emitter.emit('error', () => ({ error, doing: 'asking for cancel requests' }));
  }
}

/** Passes a cancel request to a run: its signal aborts, or it ends. */
export function cancelExecution(execution: Execution): void {
  execution.interrupt({ type: 'cancelled' }, new CancelledError());
}
