import type { Policy } from '@retry/core';
import { computeDelay, definePolicy, isRetryError } from '@retry/core';
import { BROKER_RETRY, isRefused } from '../broker.ts';
import type { Leases } from '../lease/leases.ts';
import { carryStep } from '../queue/plans/carrier.ts';
import type { Settler } from '../settle/settler.ts';
import { repeat, sleep } from '../sleep.ts';
import { Attendance, GROUP_EVENTS_MS, LOOKING_FOR_GROUPS } from './attendance/attendance.ts';
import { dropsUnknown, dropUnknown } from './drop-unknown.ts';
import type { Exchanger } from './exchanger.ts';
import { Cleaner } from './recovery/cleaner.ts';
import type { WorkerContext } from './worker-context.ts';

/** When heartbeats are sent again that were not answered. */
const HEARTBEAT_RETRY: Policy = definePolicy({
  backoff: { type: 'exponential', base: '100ms' },
  minDelay: '50ms',
  maxDelay: '1s',
});

/** How often a worker asks for operations on dead letters that no other carrier holds, at least, in ms. */
const CARRY_MS = 5_000;

/** What a worker does again and again, whether or not it executes runs. */
export class Upkeep {
  readonly #worker: WorkerContext;
  readonly #leases: Leases;
  readonly #settler: Settler;
  readonly #cleaner: Cleaner;
  readonly #attendance: Attendance;
  #cancels: readonly (() => void)[] = [];
  #hasStopped = false;
  #isBrokerClosed = false;
  /** Aborts when the worker has no leases any more. */
  readonly #closing = new AbortController();

  constructor(worker: WorkerContext, exchanger: Exchanger, leases: Leases, settler: Settler) {
    this.#worker = worker;
    this.#leases = leases;
    this.#settler = settler;
    this.#cleaner = new Cleaner(worker, exchanger, settler);
    this.#attendance = new Attendance(worker);
  }

  /** Begins, though the broker may not be ready yet. */
  start(): void {
    const { settings } = this.#worker;
    const { broker, heartbeatMs, cleanerMs } = settings;
    this.#cancels = [
      this.#every(heartbeatMs, 'heartbeating', () => this.#heartbeat()),
      this.#every(cleanerMs, 'cleaning', () => this.#clean()),
      this.#every(cleanerMs, 'attending', () => this.#attend()),
      this.#every(Math.min(cleanerMs, CARRY_MS), 'carrying an operation on', () => this.#carryOn()),
      ...(broker.figures === undefined
        ? []
        : [this.#every(Math.min(cleanerMs, GROUP_EVENTS_MS), LOOKING_FOR_GROUPS, () => this.#emitGroups())]),
      ...(dropsUnknown(settings) ? [this.#every(cleanerMs, 'dropping', () => this.#dropUnknown())] : []),
    ];
  }

  /** Stops: later errors are not reported. */
  stop(): void {
    this.#hasStopped = true;
    for (const cancel of this.#cancels) cancel();
  }

  #every(everyMs: number, doing: string, run: () => Promise<void>): () => void {
    const onError = (error: unknown): void => {
      if (!this.#hasStopped) this.#worker.emitError(error, doing);
    };
    return repeat(this.#worker.settings.clock, everyMs, { run, onError });
  }

  /** Registers the worker as alive, once the broker is ready. */
  register(): void {
    const { watch } = this.#worker;
    void this.#attendance.begin().then(() => watch.begin(), this.#onAttendError);
  }

  /** Unregisters it, once it has nothing to do any more. Never rejects. */
  unregister(): Promise<void> {
    return this.#attendance.end().catch(this.#onAttendError);
  }

  /** Renews no lease any more. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Extends the leases of all claimed runs, and applies cancel requests and lost leases. While the broker does not answer it tries again
   * every second: after an outage leases are to be renewed before others conclude that their worker is dead.
   */
  async #heartbeat(): Promise<void> {
    const { settings, watch } = this.#worker;
    const { clock, random, heartbeatMs } = settings;
    const { signal } = this.#closing;
    for (let retry = 1; !signal.aborted; retry += 1) {
      const isAnswered = await watch.time(this.#leases.heartbeat());
      if (!isAnswered) watch.noteFailure();
      if ((isAnswered && (await this.#askServer())) || this.#isBrokerClosed) return;
      const delayMs = computeDelay(HEARTBEAT_RETRY, retry, { random });
      await sleep(clock, Math.min(delayMs, heartbeatMs), signal);
    }
  }

  /** Shows the watch whether the server answers, unless other calls do. @returns whether it does, in time */
  async #askServer(): Promise<boolean> {
    const { settings, state, watch, isReady } = this.#worker;
    if (!isReady || this.#closing.signal.aborted || !watch.isAnswerNeeded) return true;
    try {
      return await watch.ask();
    } catch (error) {
      this.#isBrokerClosed = isRetryError(error, 'BROKER_CLOSED');
      if (!state.isStopping) this.#worker.emitError(error, 'heartbeating');
      return isRefused(settings.broker, error);
    }
  }

  /** Settles runs of known tasks whose lease has expired. */
  async #clean(): Promise<void> {
    if (this.#worker.isReady) await this.#cleaner.clean();
  }

  /**
   * Settles them before a drain ends: no other worker may live on until its cleaner finds what workers that died have left. Where the
   * server does not answer, or too late to tell whether they have died, it asks again, for as long as a lease lasts.
   *
   * @returns whether all are settled; never rejects
   */
  async cleanForDrain(): Promise<boolean> {
    const { broker, clock, leaseMs, random } = this.#worker.settings;
    const { signal } = this.#worker.stopping;
    const until = clock.now() + leaseMs;
    for (let retry = 1; ; retry += 1) {
      try {
        if (await this.#cleaner.clean()) return true;
      } catch (error) {
        this.#worker.emitError(error, 'cleaning');
        if (isRefused(broker, error)) return false;
      }
      if (signal.aborted || clock.now() >= until) return false;
      await sleep(clock, computeDelay(BROKER_RETRY, retry, { random }), signal);
    }
  }

  /** Registers the worker as alive again, and reports lanes without a live worker. */
  async #attend(): Promise<void> {
    if (!this.#worker.isReady) return;
    await this.#attendance.renew({ isReporting: this.#haveOthersAttended });
    this.#worker.watch.noteAnswer();
  }

  /** Emits the error groups of dead letters that are new or have doubled. */
  async #emitGroups(): Promise<void> {
    if (this.#worker.isReady) await this.#attendance.emitGroups();
  }

  /** Carries on operations on dead letters that no other carrier holds, step by step, until there are none. */
  async #carryOn(): Promise<void> {
    const { broker, clock, random, name } = this.#worker.settings;
    const { signal } = this.#worker.stopping;
    let id: string | undefined;
    while (this.#worker.isReady && !signal.aborted) {
      const carried = await carryStep({ broker, random, name }, id);
      if (carried === undefined && id === undefined) return;
      // One that has ended, is paused or has another carrier: the next one is looked for.
      id = carried?.id;
      if (carried !== undefined) await sleep(clock, carried.restMs, signal);
    }
  }

  /** Drops runs of lanes that the worker does not know. */
  async #dropUnknown(): Promise<void> {
    if (this.#worker.isReady && this.#haveOthersAttended) await dropUnknown(this.#worker, this.#settler);
  }

  /** Whether every live worker has had the time to register since the server answers: one that has not is dead. */
  get #haveOthersAttended(): boolean {
    const { settings, watch } = this.#worker;
    return watch.untilAllHad(settings.cleanerMs, settings.clock.now()) <= 0;
  }

  readonly #onAttendError = (error: unknown): void => {
    // A stopping worker need not report that the broker was closed before it could unregister.
    if (!(this.#worker.state.isStopping && isRetryError(error, 'BROKER_CLOSED')))
      this.#worker.emitError(error, 'attending');
  };
}
