import type { Policy } from '@retry/core';
import { computeDelay, definePolicy, isRetryError } from '@retry/core';
import { isRefused } from '../broker.ts';
import type { WorkerEmitter } from '../events.ts';
import { ServerWatch } from '../lease/server-watch.ts';
import type { WorkerSettings } from '../options.ts';
import { carryStep } from '../queue/plans/carrier.ts';
import type { DrainEnd } from '../session/drain.ts';
import { endOf, Settler } from '../settle/settler.ts';
import { sleep } from '../sleep.ts';
import { AnswerTurns, nextTurn } from './answer-turns.ts';
import { Attendance } from './attendance/attendance.ts';
import { WorkerReport } from './attendance/worker-report.ts';
import type { ClaimsEnd } from './claim-limit.ts';
import { ClaimLimit } from './claim-limit.ts';
import type { EmptyClaim } from './claims.ts';
import { Claims, isEmptyFor } from './claims.ts';
import { dropUnknown } from './drop-unknown.ts';
import { Exchanger } from './exchanger.ts';
import { Executions } from './executions.ts';
import { LaneBreakers } from './lanes/lane-breakers.ts';
import type { Room } from './lanes/slots.ts';
import { Cleaner } from './recovery/cleaner.ts';
import { RestOfTurn } from './rest-of-turn.ts';
import { waitUntilReady } from './wait-until-ready.ts';
import { WakeSignal } from './wake-signal.ts';

/** How long a second exchange waits for more to carry while the first is pending, in ms. */
const GATHER_MS = 1;

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
  /** Called once nothing runs, everything is settled, and nothing more is to be claimed. */
  readonly onEnd: (end: ClaimsEnd) => void;
}

/**
 * The main loop of a worker: claims, runs and settles until it has to stop. Up to two exchanges are pending at a time, so
 * that worker and broker work in parallel when there is much to do.
 */
export class Engine {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #exchanger: Exchanger;
  readonly #executions: Executions;
  readonly #claims: Claims;
  readonly #breakers: LaneBreakers;
  readonly #settler: Settler;
  readonly #watch: ServerWatch;
  readonly #cleaner: Cleaner;
  readonly #attendance: Attendance;
  readonly #report: WorkerReport;
  readonly #wakeSignal = new WakeSignal();
  readonly #answerTurns = new AnswerTurns();
  readonly #restOfTurn = new RestOfTurn(() => this.hasRuns || this.#pendingExchanges > 0);
  #pendingExchanges = 0;
  #emptyClaim: EmptyClaim | undefined;
  /** When a second exchange has waited long enough for more settlements. */
  #gatherUntil: number | undefined;
  #drain: { readonly limit: ClaimLimit; readonly onEnd: Drain['onEnd'] } | undefined;
  /** When something of its lanes may start, by the broker's clock, as the latest claim that returned nothing showed. */
  #nextRunAt = Infinity;
  #startError: { readonly error: unknown } | undefined;
  #isReady = false;
  #isStopping = false;
  #isBrokerClosed = false;
  /** Aborts when the worker has to stop. */
  readonly #stopping = new AbortController();
  /** Aborts when it has no leases any more. */
  readonly #closing = new AbortController();

  constructor(settings: WorkerSettings, emitter: WorkerEmitter) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#watch = new ServerWatch(settings);
    this.#exchanger = new Exchanger(settings, {
      watch: this.#watch,
      onError: (error, doing) => this.#onError(error, doing),
      onChange: () => this.#wake(),
    });
    this.#report = new WorkerReport(settings, () => this.#executions.load);
    this.#breakers = new LaneBreakers(settings, emitter, (lane) => this.#executions.giveBack(lane));
    this.#settler = new Settler(settings, {
      emitter,
      queue: this.#exchanger,
      breakers: this.#breakers,
      flow: this.#report.flow,
    });
    this.#executions = this.#createExecutions();
    this.#claims = new Claims(settings, this.#executions.capacity);
    this.#cleaner = this.#createCleaner();
    this.#attendance = new Attendance(settings, emitter, this.#report);
  }

  /** Whether nothing runs and everything is settled. */
  get isIdle(): boolean {
    return this.#executions.isEmpty && this.#exchanger.isDone;
  }

  /** Whether any claimed run has not ended yet. */
  get hasRuns(): boolean {
    return !this.#executions.isEmpty;
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
    if (this.#isStopping) return this.#close();
    this.#isReady = true;
    this.#executions.leases.watchCancelRequests();
    void this.#attendance.begin().then(() => this.#watch.begin(), this.#onAttendError);
    if (drain !== undefined) this.#beginToDrain(drain);
    while (!(this.#isStopping && this.isIdle && this.#pendingExchanges === 0)) {
      this.#answerTurns.end();
      // Before the room: a limit that opens between the two would be in neither.
      const restMs = this.#restMs();
      const room = this.#room();
      if (this.#isTimeFor(room)) {
        void this.#exchange(room);
        // Clients write in the turn after this one; the next answer takes effect after that.
        if (this.#answerTurns.areAwaited) await nextTurn();
        // Also, a broker in memory that answers in this turn would let nothing else run.
        await nextTurn();
      } else if (!this.#endDrain(room)) {
        if (!this.#answerTurns.pass()) await this.#wait(room, restMs);
        // Runs that end in the same turn are settled in the same exchange.
        await this.#restOfTurn.pass();
      }
    }
    this.#close();
    await this.#breakers.settled();
    await this.#attendance.end().catch(this.#onAttendError);
  }

  /**
   * Extends the leases of all claimed runs, and applies cancel requests and lost leases. While the broker does not answer it tries again
   * every second: after an outage leases are to be renewed before others conclude that their worker is dead.
   */
  async heartbeat(): Promise<void> {
    const { clock, random } = this.#settings;
    const { signal } = this.#closing;
    for (let retry = 1; !signal.aborted; retry += 1) {
      const isAnswered = await this.#executions.leases.heartbeat();
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
    while (this.#isReady && !this.#isStopping) {
      const restMs = await carryStep({ broker, clock, random, carrier: name });
      if (restMs === undefined) return;
      await sleep(clock, restMs, this.#stopping.signal);
    }
  }

  /** Drops runs of lanes that the worker does not know. */
  async dropUnknown(): Promise<void> {
    if (!this.#isReady || !this.#haveOthersAttended) return;
    await dropUnknown(this.#settings, {
      now: () => this.#exchanger.now(),
      send: (settlement) => {
        const written = this.#settler.send(settlement);
        this.#wake();
        return written;
      },
      onDropped: ({ id, lane }) => this.#emitter.emit('dropped', () => ({ id, lane })),
      onError: (error) => this.#onError(error, 'dropping'),
      isStopping: () => this.#isStopping,
    });
  }

  /** Stops claiming; each running handler finishes, stalls or is given back, as its task says. */
  stop(): void {
    this.#isStopping = true;
    this.#stopping.abort();
    this.#cleaner.stop();
    this.#exchanger.stop();
    this.#executions.stop();
    this.#wake();
  }

  /** Gives back all runs, and stops resending exchanges that fail. */
  stopNow(): void {
    this.#isStopping = true;
    this.#stopping.abort();
    this.#cleaner.stop();
    this.#exchanger.giveUp();
    this.#executions.stopNow();
    this.#close();
    this.#wake();
  }

  #createExecutions(): Executions {
    return new Executions(this.#settings, this.#emitter, {
      now: () => this.#exchanger.now(),
      onChange: () => this.#wake(),
      settling: () => this.#exchanger.settling().filter(({ onlyIfExpired }) => onlyIfExpired !== true),
      flow: this.#report.flow,
      onProbe: (task) => this.#breakers.noteProbe(task),
      onEnd: (execution, outcome) => {
        if (outcome !== undefined) this.#settler.settle(endOf(execution, outcome));
        if (this.#drain !== undefined && execution.hasStarted) this.#drain.limit.noteStarted();
        this.#wake();
        this.#restOfTurn.noteEnd();
      },
    });
  }

  #createCleaner(): Cleaner {
    return new Cleaner(this.#settings, {
      watch: this.#watch,
      own: () => [...this.#executions.leases.list(), ...this.#exchanger.settling()],
      settle: (expired, outcome) =>
        new Promise((resolve) => {
          const end = { ...expired, outcome, durationMs: 0, onlyIfExpired: true };
          const onAnswer = (answer: string): void => resolve(answer === 'refused' ? 'refused' : 'answered');
          this.#settler.settle({ ...end, onAnswer });
          this.#wake();
        }),
    });
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
      if (!this.#isStopping) this.#onError(error, 'heartbeating');
      return isRefused(this.#settings.broker, error);
    }
  }

  /** Leaves nothing of the leases behind. */
  #close(): void {
    this.#closing.abort();
    this.#watch.close();
    this.#executions.leases.close();
  }

  /** Returns what may be claimed now; `undefined` when nothing may be. */
  #room(): Room | undefined {
    const room = this.#exchanger.open(this.#executions.room());
    return this.#drain === undefined ? room : this.#drain.limit.room(room);
  }

  #beginToDrain({ maxRuns, onEnd }: Drain): void {
    const limit = new ClaimLimit({ maxRuns, load: () => this.#executions.load });
    this.#drain = { limit, onEnd };
    // No other worker may live on until its cleaner finds what workers that died have left.
    void this.clean()
      .catch((error: unknown) => this.#onError(error, 'cleaning'))
      .then(() => {
        limit.noteCleaned();
        this.#wake();
      });
  }

  /** Ends a drain that has nothing more to do. @returns whether it did */
  #endDrain(room: Room | undefined): boolean {
    if (this.#drain === undefined || this.#isStopping) return false;
    if (!this.isIdle || this.#pendingExchanges > 0) return false;
    const end = this.#drain.limit.endOf(room, this.#emptyClaim);
    if (end === undefined) return false;
    const opensInMs = Math.min(this.#executions.capacity.opensIn(), this.#exchanger.opensIn());
    this.#nextRunAt = Math.min(this.#emptyClaim?.nextRunAt ?? Infinity, this.#exchanger.now() + opensInMs);
    this.#drain.onEnd(end);
    return true;
  }

  #isTimeFor(room: Room | undefined): boolean {
    const { pending } = this.#exchanger;
    if (this.#pendingExchanges === 0)
      return pending > 0 || (room !== undefined && !isEmptyFor(room, this.#emptyClaim));
    if (this.#pendingExchanges > 1) return false;
    const { capacity } = this.#executions;
    const most = capacity.areShort ? this.#settings.concurrency : capacity.most;
    const isMuch = 2 * Math.max(pending, room?.limit ?? 0) >= most;
    if (pending === 0) return isMuch && this.#claims.hasMore;
    return isMuch || this.#settings.clock.now() >= (this.#gatherUntil ?? Infinity);
  }

  async #exchange(room: Room | undefined): Promise<void> {
    const open = room && this.#claims.open(room);
    const noteAnswered = open && this.#drain?.limit.noteClaim(open.claim.limit);
    this.#emptyClaim = undefined;
    this.#gatherUntil = undefined;
    this.#pendingExchanges += 1;
    const received = await this.#exchanger.exchange(open?.claim);
    if (!this.#answerTurns.take()) await this.#answerTurns.next();
    this.#pendingExchanges -= 1;
    noteAnswered?.();
    this.#emptyClaim = open?.answer(received) ?? this.#emptyClaim;
    if (open !== undefined && received !== undefined) this.#executions.take(received.claimed, open.sentAt);
    this.#wakeSignal.notify();
  }

  /** Waits until there may be something to do: a run has ended, an exchange was answered, or work has arrived. */
  #wait(room: Room | undefined, restMs: number): Promise<void> {
    const emptyClaim = this.#emptyClaim;
    const { clock } = this.#settings;
    if (this.#pendingExchanges > 0) return this.#wakeSignal.sleep(clock, this.#gatherMs());
    if (room === undefined || emptyClaim === undefined) return this.#wakeSignal.sleep(clock, restMs);
    return this.#wakeSignal.during(async (signal) => {
      await this.#waitForWork(emptyClaim, restMs, signal);
      this.#emptyClaim = undefined;
    });
  }

  /** How long a second exchange waits for more settlements, in ms. */
  #gatherMs(): number {
    if (this.#pendingExchanges > 1 || this.#exchanger.pending === 0) return Infinity;
    const now = this.#settings.clock.now();
    this.#gatherUntil ??= now + GATHER_MS;
    return Math.max(this.#gatherUntil - now, 0);
  }

  async #waitForWork({ lanes, dueInMs }: EmptyClaim, restMs: number, signal: AbortSignal): Promise<void> {
    const timeoutMs = Math.min(restMs, Math.max(dueInMs, 1));
    try {
      await this.#settings.broker.waitForWork([...lanes], { timeoutMs, signal });
    } catch (error) {
      this.#onError(error, 'waiting for work');
      await sleep(this.#settings.clock, Math.min(restMs, AFTER_ERROR_MS), signal);
    }
  }

  /** How long until the end of a rate limit or of a lane's pause, or the next poll, in ms. */
  #restMs(): number {
    const { pollMs } = this.#settings;
    return Math.min(pollMs, this.#executions.capacity.opensIn(), this.#exchanger.opensIn());
  }

  /** Continues the loop: there may be new slots or settlements. */
  #wake(): void {
    this.#emptyClaim = undefined;
    this.#wakeSignal.notify();
  }

  #onError(error: unknown, doing: string): void {
    this.#emitter.emit('error', () => ({ error, doing }));
  }

  readonly #onAttendError = (error: unknown): void => {
    // A stopping worker need not report that the broker was closed before it could unregister.
    if (!(this.#isStopping && isRetryError(error, 'BROKER_CLOSED'))) this.#onError(error, 'attending');
  };
}
