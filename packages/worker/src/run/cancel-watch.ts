import type { Clock } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { callOutside } from '../session/outside.ts';
import type { Execution } from './execution.ts';

/** How often the broker is asked for cancel requests, and how long a handler runs before it is asked about, in ms. */
const POLL_MS = 500;

/** The most leases that one call asks about. */
const MAX_LEASES = 1_000;

/** What a watch for cancel requests works with. */
export interface CancelWatchOptions {
  readonly broker: Broker;
  readonly clock: Clock;
  /** All claimed runs of the worker. */
  readonly executions: () => readonly Execution[];
  readonly onCancel: (execution: Execution) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Passes cancel requests to running handlers: immediately if the broker notifies of them, otherwise within a second. It polls
 * only while there is a handler that has run for some time.
 */
export class CancelWatch {
  readonly #options: CancelWatchOptions;
  #cancelTimer: (() => void) | undefined;
  #unsubscribe: (() => void) | undefined;
  #isPolling = false;
  #isClosed = false;

  constructor(options: CancelWatchOptions) {
    this.#options = options;
  }

  /** Subscribes to the broker's notifications; without them, it polls. */
  open(): void {
    const { broker, executions, onCancel, onError } = this.#options;
    try {
      this.#unsubscribe = broker.onCancelRequest?.((id) => {
        // The broker may call from within the request that cancels, and the signal of the handler from here.
        for (const execution of executions()) if (execution.run.id === id) callOutside(onCancel, execution);
      });
    } catch (error) {
      onError(error);
    }
  }

  /** Schedules a poll, because a handler has started. Whether one still runs is checked then: most end sooner. */
  arm(): void {
    if (this.#isClosed || this.#isPolling || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#options.clock.setTimer(() => void this.#poll(), POLL_MS);
  }

  /** Ends subscription and polling. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    try {
      this.#unsubscribe?.();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #poll(): Promise<void> {
    const { executions, onError } = this.#options;
    const report = (error: unknown): void => (this.#isClosed ? undefined : onError(error));
    this.#cancelTimer = undefined;
    this.#isPolling = true;
    const asked = executions().filter(({ durationMs }) => durationMs >= POLL_MS);
    for (let first = 0; first < asked.length; first += MAX_LEASES) {
      await this.#askAbout(asked.slice(first, first + MAX_LEASES)).catch(report);
    }
    this.#isPolling = false;
    if (executions().some(({ hasStarted }) => hasStarted)) this.arm();
  }

  async #askAbout(executions: readonly Execution[]): Promise<void> {
    const { broker, onCancel } = this.#options;
    const leases = executions.map(({ run: { id, epoch } }) => ({ id, epoch }));
    const byId = new Map(executions.map((execution) => [execution.run.id, execution]));
    for (const { id, epoch } of await broker.findCancelRequests(leases)) {
      const execution = byId.get(id);
      if (execution?.run.epoch === epoch) onCancel(execution);
    }
  }
}
