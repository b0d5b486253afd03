import type { Policy } from '@retry/core';
import { computeDelay, definePolicy, isRetryError } from '@retry/core';
import type { Claim, ClaimedRun } from '@retry/core/broker';
import { TrustedWait } from '@retry/core/broker/kit';
import { isRefused } from '../broker.ts';
import { ServerClock } from '../clock.ts';
import type { WorkerEmitter } from '../events.ts';
import { ServerWatch } from '../lease/server-watch.ts';
import type { WorkerSettings } from '../options.ts';
import { carryStep } from '../queue/plans/carrier.ts';
import type { Execution } from '../run/execution.ts';
import { Roster } from '../run/roster.ts';
import type { DrainEnd } from '../session/drain.ts';
import { observeClaim } from '../session/observed-calls.ts';
import { Settler } from '../settle/settler.ts';
import { sleep } from '../sleep.ts';
import { Attendance } from './attendance/attendance.ts';
import { WorkerReport } from './attendance/worker-report.ts';
import { dropUnknown } from './drop-unknown.ts';
import { Exchanger, newRequestId } from './exchanger.ts';
import { Executions } from './executions.ts';
import { LaneBreakers } from './lanes/lane-breakers.ts';
import { ServerHolds } from './lanes/server-holds.ts';
import { apply } from './plan/apply.ts';
import type { Plan } from './plan/plan.ts';
import { giveBackInMs, isIdle, opensIn, plan } from './plan/plan.ts';
import type { ClaimsEnd, PlannedClaim, WorkerState } from './plan/worker-state.ts';
import { createWorkerState } from './plan/worker-state.ts';
import { Cleaner } from './recovery/cleaner.ts';
import { AnswerTurns, nextTurn, RestOfTurn, WakeSignal } from './turns.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** How long to wait before the next claim, at most, when the broker could not wait for work, in ms. */
const AFTER_ERROR_MS = 1_000;

/** When heartbeats are sent again that were not answered. */
const HEARTBEAT_RETRY: Policy = definePolicy({
  backoff: { type: 'exponential', base: '100ms' },
  minDelay: '50ms',
  maxDelay: '1s',
});

/** What a worker that drains is to do. */
export interface Drain {
  /** How many handlers it may call; `Infinity` for no limit. */
  readonly maxRuns: number;
  /** Fires the schedules that are due, unless the signal aborts. Never rejects. @returns when the next one is due, by the broker's clock */
  readonly fire: (signal: AbortSignal) => Promise<number>;
  /** Called once nothing runs, everything is settled, and nothing more is to be claimed. */
  readonly onEnd: (end: ClaimsEnd) => void;
}

/**
 * The main loop of a worker: does what `plan` says until it has to stop, and notes in its state what has happened. It has the timers,
 * promises and the broker; what is decided by them, `plan` decides.
 */
export class Engine {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #exchanger: Exchanger;
  readonly #state: WorkerState<Execution>;
  readonly #executions: Executions;
  readonly #breakers: LaneBreakers;
  readonly #holds: ServerHolds;
  readonly #settler: Settler;
  readonly #watch: ServerWatch;
  readonly #cleaner: Cleaner;
  readonly #attendance: Attendance;
  readonly #report: WorkerReport;
  readonly #wakeSignal = new WakeSignal();
  readonly #answerTurns = new AnswerTurns();
  readonly #restOfTurn = new RestOfTurn(() => this.#state.leased > 0 || this.#state.exchanges > 0);
  /** Wakes the loop when runs have waited for a slot for too long. */
  #cancelGiveBack: (() => void) | undefined;
  #onDrained: Drain['onEnd'] | undefined;
  /** When something of its lanes may start, by the broker's clock, as the latest claim that returned nothing showed. */
  #nextRunAt = Infinity;
  /** When the next schedule is due, by the broker's clock, as a drain has read. */
  #nextFireAt = Infinity;
  #startError: { readonly error: unknown } | undefined;
  #isReady = false;
  #isBrokerClosed = false;
  /** Aborts when the worker has to stop. */
  readonly #stopping = new AbortController();
  /** Aborts when it has no leases any more. */
  readonly #closing = new AbortController();

  constructor(settings: WorkerSettings, emitter: WorkerEmitter) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#watch = new ServerWatch(settings);
    const serverClock = new ServerClock(settings.clock);
    this.#state = createWorkerState(settings, () => Math.floor(serverClock.now()));
    const wake = (): void => this.#wake();
    const executions = new Roster<Execution>();
    const exchanger = new Exchanger(settings, emitter, {
      state: this.#state,
      serverClock,
      watch: this.#watch,
      wake,
    });
    this.#exchanger = exchanger;
    this.#report = new WorkerReport(settings, this.#state);
    const { flow } = this.#report;
    this.#breakers = new LaneBreakers(settings, emitter, executions);
    this.#holds = new ServerHolds(settings, emitter, executions);
    const [breakers, holds] = [this.#breakers, this.#holds];
    this.#settler = new Settler(settings, emitter, { exchanger, breakers, holds, flow });
    this.#executions = new Executions(settings, emitter, {
      ...{ state: this.#state, all: executions, exchanger, settler: this.#settler },
      ...{ breakers, holds, flow, wake },
    });
    const { leases } = this.#executions;
    this.#cleaner = new Cleaner(settings, { watch: this.#watch, leases, exchanger, settler: this.#settler });
    this.#attendance = new Attendance(settings, emitter, this.#report);
  }

  /** Whether nothing runs and everything is settled. */
  get isIdle(): boolean {
    return isIdle(this.#state);
  }

  /** Whether any claimed run has not ended yet. */
  get hasRuns(): boolean {
    return this.#state.leased > 0;
  }

  /** By whom leases are renewed while the event loop is blocked. */
  get leaseRenewal(): 'thread' | 'loop' {
    return this.#executions.leases.renewal;
  }

  /** When to drain again, in epoch ms by the broker's clock; `Infinity`: nothing is scheduled. @param end - why this one has ended */
  nextRunAt(end: DrainEnd): number {
    return end === 'empty' ? this.#nextRunAt : this.#exchanger.now();
  }

  /** Why the broker could not serve, if it never could. */
  get startError(): { readonly error: unknown } | undefined {
    return this.#isReady ? undefined : this.#startError;
  }

  /**
   * Works, once the broker is ready, until it is stopped; resolves when nothing runs any more and everything is settled.
   *
   * @param drain - it claims no more than that, and what is called at the end stops the worker
   */
  async work(drain?: Drain): Promise<void> {
    const { ready } = this.#settings.broker;
    const onError = (error: unknown): void => {
      this.#startError = { error };
      this.#onError(error, 'starting');
    };
    const { signal } = this.#stopping;
    this.#executions.leases.guard();
    if (ready !== undefined) await waitUntilReady({ ...this.#settings, onError }, signal);
    if (this.#state.isStopping) return this.#close();
    this.#isReady = true;
    void this.#attendance.begin().then(() => this.#watch.begin(), this.#onAttendError);
    if (drain !== undefined) await this.#beginToDrain(drain);
    await this.#loop();
    this.#cancelGiveBack?.();
    this.#close();
    await Promise.all([this.#breakers.settled(), this.#holds.settled(), this.#executions.settled()]);
    await this.#attendance.end().catch(this.#onAttendError);
  }

  /** Does what the plan says, and plans again when something has happened, until the worker has stopped and all is settled. */
  async #loop(): Promise<void> {
    const state = this.#state;
    const { clock } = this.#settings;
    while (!(state.isStopping && isIdle(state) && state.exchanges === 0)) {
      this.#answerTurns.end();
      const now = clock.now();
      apply(state, { type: 'turned', now });
      const next = plan(state, now);
      if (next.start > 0) this.#executions.fill();
      if (next.exchanges) {
        void this.#exchange(next.claim, now);
        // Clients write in the turn after this one; the next answer takes effect after that.
        if (this.#answerTurns.areAwaited) await nextTurn();
        // Also, a broker in memory that answers in this turn would let nothing else run.
        await nextTurn();
      } else if (next.drained !== undefined) this.#endDrain(next.drained, now);
      else {
        if (!this.#answerTurns.pass()) await this.#wait(next);
        // Runs that end in the same turn are settled in the same exchange.
        await this.#restOfTurn.pass();
      }
    }
  }

  /**
   * Extends the leases of all claimed runs, and applies cancel requests and lost leases. While the broker does not answer it tries again
   * every second: after an outage leases are to be renewed before others conclude that their worker is dead.
   */
  async heartbeat(): Promise<void> {
    const { clock, random } = this.#settings;
    const { signal } = this.#closing;
    for (let retry = 1; !signal.aborted; retry += 1) {
      const isAnswered = await this.#watch.time(this.#executions.leases.heartbeat());
      if (!isAnswered) this.#watch.noteFailure();
      if ((isAnswered && (await this.#askServer())) || this.#isBrokerClosed) return;
      const delayMs = computeDelay(HEARTBEAT_RETRY, retry, { random });
      await sleep(clock, Math.min(delayMs, this.#settings.heartbeatMs), signal);
    }
  }

  /** Settles runs of known tasks whose lease has expired. */
  async clean(): Promise<void> {
    if (this.#isReady) await this.#cleaner.clean();
  }

  /** Registers the worker as alive, and reports lanes without a live worker. */
  async attend(): Promise<void> {
    if (!this.#isReady) return;
    await this.#attendance.renew({ isReporting: this.#haveOthersAttended });
    this.#watch.noteAnswer();
  }

  /** Emits the error groups of dead letters that are new or have doubled. */
  async emitGroups(): Promise<void> {
    if (this.#isReady) await this.#attendance.emitGroups();
  }

  /** Carries on operations on dead letters that no other carrier holds, step by step, until there are none. */
  async carryOn(): Promise<void> {
    const { broker, clock, random, name } = this.#settings;
    let id: string | undefined;
    while (this.#isReady && !this.#state.isStopping) {
      const carried = await carryStep({ broker, clock, random, carrier: name }, id);
      if (carried === undefined && id === undefined) return;
      // One that has ended, is paused or has another carrier: the next one is looked for.
      id = carried?.id;
      if (carried !== undefined) await sleep(clock, carried.restMs, this.#stopping.signal);
    }
  }

  /** Drops runs of lanes that the worker does not know. */
  async dropUnknown(): Promise<void> {
    if (!this.#isReady || !this.#haveOthersAttended) return;
    const [emitter, exchanger, settler] = [this.#emitter, this.#exchanger, this.#settler];
    await dropUnknown(this.#settings, { emitter, exchanger, settler, stopping: this.#stopping.signal });
  }

  /** Stops claiming; each running handler finishes, stalls or is given back, as its task says. */
  stop(): void {
    apply(this.#state, { type: 'stops' });
    this.#stopping.abort();
    this.#cleaner.stop();
    this.#exchanger.stop();
    this.#executions.stop();
    this.#wake();
  }

  /** Gives back all runs, and stops resending exchanges that fail. */
  stopNow(): void {
    apply(this.#state, { type: 'stops' });
    this.#stopping.abort();
    this.#cleaner.stop();
    this.#exchanger.giveUp();
    this.#executions.stopNow();
    this.#close();
    this.#wake();
  }

  /** Whether every live worker has had the time to register since the server answers: one that has not is dead. */
  get #haveOthersAttended(): boolean {
    const { clock, cleanerMs } = this.#settings;
    return this.#watch.untilAllHad(cleanerMs, clock.now()) <= 0;
  }

  /** Shows the watch whether the server answers, unless other calls do. @returns whether it does, in time */
  async #askServer(): Promise<boolean> {
    if (!this.#isReady || this.#closing.signal.aborted || !this.#watch.isAnswerNeeded) return true;
    try {
      return await this.#watch.ask();
    } catch (error) {
      this.#isBrokerClosed = isRetryError(error, 'BROKER_CLOSED');
      if (!this.#state.isStopping) this.#onError(error, 'heartbeating');
      return isRefused(this.#settings.broker, error);
    }
  }

  /** Leaves nothing of the leases behind. */
  #close(): void {
    this.#closing.abort();
    this.#watch.close();
    this.#executions.leases.close();
  }

  async #beginToDrain({ maxRuns, fire, onEnd }: Drain): Promise<void> {
    this.#nextFireAt = await fire(this.#stopping.signal);
    apply(this.#state, { type: 'drains', maxRuns });
    this.#onDrained = onEnd;
    // No other worker may live on until its cleaner finds what workers that died have left.
    void this.clean()
      .catch((error: unknown) => this.#onError(error, 'cleaning'))
      .then(() => {
        apply(this.#state, { type: 'cleaned' });
        this.#wakeSignal.notify();
      });
  }

  #endDrain(end: ClaimsEnd, now: number): void {
    const serverNow = this.#exchanger.now();
    const opensAt = serverNow + opensIn(this.#state, now);
    const fireAt = Math.max(serverNow, this.#nextFireAt);
    this.#nextRunAt = Math.min(this.#state.empty?.nextRunAt ?? Infinity, opensAt, fireAt);
    this.#onDrained?.(end);
  }

  async #exchange(planned: PlannedClaim | undefined, sentAt: number): Promise<void> {
    apply(this.#state, { type: 'sent', claim: planned, now: sentAt });
    const received = await this.#exchanger.exchange(planned && this.#claim(planned));
    const now = this.#settings.clock.now();
    if (received !== undefined && received.claimed.length > 0)
      observeClaim(this.#settings.name, received.claimed, now - sentAt);
    if (!this.#answerTurns.take()) await this.#answerTurns.next();
    apply(this.#state, { type: 'answered', claim: planned, sentAt, now, received });
    if (received !== undefined && received.claimed.length > 0)
      this.#executions.take(this.#inOrder(planned, received.claimed), sentAt);
    // Here, too: it may be some turns until the loop waits.
    if (this.#state.waiting.length > 0)
      this.#watchWaiting(giveBackInMs(this.#state, this.#settings.clock.now()));
    this.#wakeSignal.notify();
  }

  #inOrder(planned: PlannedClaim | undefined, claimed: readonly ClaimedRun[]): readonly ClaimedRun[] {
    const { retryShares } = this.#state;
    if (retryShares === undefined || planned === undefined) return claimed;
    return retryShares.inOrder(planned, claimed);
  }

  #claim({ limit, lanes, dueLimits }: PlannedClaim): Claim {
    const { name, leaseMs } = this.#settings;
    const { limits: concurrency } = this.#state;
    const claim = { worker: name, requestId: newRequestId(), leaseMs, limit, lanes };
    if (concurrency.size === 0 && dueLimits === undefined) return claim;
    return {
      ...claim,
      ...(concurrency.size > 0 && { concurrency }),
      ...(dueLimits !== undefined && { dueLimits }),
    };
  }

  /** Waits until there may be something to do: a run has ended, an exchange was answered, or work has arrived. */
  #wait({ waitFor, wakeInMs, giveBackInMs }: Plan): Promise<void> {
    const { clock } = this.#settings;
    this.#watchWaiting(giveBackInMs);
    if (waitFor === undefined) return this.#wakeSignal.sleep(clock, wakeInMs);
    return this.#wakeSignal.during(async (signal) => {
      await this.#waitForWork(waitFor, wakeInMs, signal);
      apply(this.#state, { type: 'changed' });
    });
  }

  /**
   * Sets the timer if runs wait for a slot, and cancels it if none does. They are given back by the timer alone: after the event loop was
   * blocked, the timers of handlers that end before come first, and what waits starts.
   */
  #watchWaiting(inMs: number): void {
    if (inMs === Infinity) {
      this.#cancelGiveBack?.();
      this.#cancelGiveBack = undefined;
    } else this.#cancelGiveBack ??= this.#settings.clock.setTimer(() => this.#giveBackLate(), inMs);
  }

  #giveBackLate(): void {
    this.#cancelGiveBack = undefined;
    const now = this.#settings.clock.now();
    this.#executions.giveBackLate(now);
    this.#watchWaiting(giveBackInMs(this.#state, now));
  }

  async #waitForWork(lanes: ReadonlySet<string>, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { broker, clock } = this.#settings;
    const pollsAt = clock.now() + timeoutMs;
    try {
      await broker.wait(new TrustedWait(lanes, timeoutMs, signal));
      if (!signal.aborted && clock.now() >= pollsAt) this.#state.lateness.notePoll(clock.now());
    } catch (error) {
      this.#onError(error, 'waiting for work');
      const { pollMs } = this.#state;
      await sleep(clock, Math.min(pollMs, opensIn(this.#state, clock.now()), AFTER_ERROR_MS), signal);
    }
  }

  /** Continues the loop: there may be new slots or settlements. */
  #wake(): void {
    this.#state.empty = undefined; // as 'changed' does; every run comes here
    this.#wakeSignal.notify();
    this.#restOfTurn.noteEnd();
  }

  #onError(error: unknown, doing: string): void {
    this.#emitter.emit('error', () => ({ error, doing }));
  }

  readonly #onAttendError = (error: unknown): void => {
    // A stopping worker need not report that the broker was closed before it could unregister.
    if (!(this.#state.isStopping && isRetryError(error, 'BROKER_CLOSED'))) this.#onError(error, 'attending');
  };
}
