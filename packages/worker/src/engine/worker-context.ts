import { keepableMs } from '@retry/core/broker/kit';
import type { WorkerEmitter } from '../events.ts';
import { ServerWatch } from '../lease/server-watch.ts';
import type { WorkerSettings } from '../options.ts';
import type { Execution } from '../run/execution.ts';
import { Roster } from '../run/roster.ts';
import { WorkerReport } from './attendance/worker-report.ts';
import { apply } from './plan/apply.ts';
import type { WorkerState } from './plan/worker-state.ts';
import { createWorkerState } from './plan/worker-state.ts';
import { ServerClock } from './server-clock.ts';
import { RestOfTurn, WakeSignal } from './turns.ts';

/** What all parts of one worker share. */
export class WorkerContext {
  readonly settings: WorkerSettings;
  readonly emitter: WorkerEmitter;
  /** What the worker knows of itself; `plan` decides by it. */
  readonly state: WorkerState<Execution>;
  /** All claimed runs of the worker. */
  readonly executions: Roster<Execution> = new Roster();
  /** Estimates the broker's clock. */
  readonly serverClock: ServerClock;
  /** Since when the server has answered: leases that expired before may be those of living workers. */
  readonly watch: ServerWatch;
  /** Counts what it does in each of its lanes, among others. */
  readonly report: WorkerReport;
  /** What the worker's loop waits for. */
  readonly wakeSignal: WakeSignal = new WakeSignal();
  readonly restOfTurn: RestOfTurn;
  /** Aborts when the worker has to stop. */
  readonly stopping: AbortController = new AbortController();
  /** Whether the broker can serve. */
  isReady = false;
  /** Whether it has answered an exchange; until then, why it could not serve when it was asked last. */
  hasAnswer = false;
  startError: { readonly error: unknown } | undefined;
  /** Calls to the broker that nothing awaits until the worker stops. */
  readonly #calls = new Set<Promise<void>>();

  constructor(settings: WorkerSettings, emitter: WorkerEmitter) {
    this.settings = settings;
    this.emitter = emitter;
    this.serverClock = new ServerClock(settings.clock);
    this.state = createWorkerState(settings, () => Math.floor(this.serverClock.now()));
    this.watch = new ServerWatch(settings);
    this.report = new WorkerReport(settings, this.state);
    this.restOfTurn = new RestOfTurn(this.state);
  }

  /** Now by the broker's clock, as estimated from its replies: an instant that every broker can store, rounded down to whole milliseconds. */
  now(): number {
    return keepableMs(Math.floor(this.serverClock.now()));
  }

  /** Continues the worker's loop: there may be something to start, claim or settle, or nothing left to wait for. */
  wake(): void {
    this.state.empty = undefined; // as 'changed' does; every run comes here
    this.wakeSignal.notify();
    this.restOfTurn.noteEnd();
  }

  /** Claims no more from now on. */
  stop(): void {
    apply(this.state, { type: 'stops' });
    this.stopping.abort();
  }

  /** Lets a call to the broker take its time. @param call - never rejects */
  follow(call: Promise<void>): void {
    const followed = call.finally(() => this.#calls.delete(followed));
    this.#calls.add(followed);
  }

  /** Resolves when every call that it follows was answered. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#calls);
  }

  /** Emits the worker's `error` event. */
  emitError(error: unknown, doing: string): void {
    this.emitter.emit('error', () => ({ error, doing }));
  }
}
