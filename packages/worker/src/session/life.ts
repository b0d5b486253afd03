import type { Drain, Engine } from '../engine/engine.ts';
import { isIdle } from '../engine/plan/plan.ts';
import type { ClaimsEnd } from '../engine/plan/worker-state.ts';
import type { WorkerContext } from '../engine/worker-context.ts';
import { noAnswer, workerStarted, workerStopped } from '../errors.ts';
import type { SignalName } from '../options.ts';
import type { Scheduler } from '../schedules/scheduler.ts';
import { sleep } from '../sleep.ts';
import { leaveBroker, useBroker } from './broker-use.ts';
import type { DrainEnd, DrainLimits, DrainReport } from './drain.ts';
import { countEvents, readDrainOptions } from './drain.ts';
import { callOutside } from './outside.ts';
import { listenToSignals } from './process-signals.ts';

/** The life of a worker: it is started or drains once, and stops once. Its calls must come from outside every request. */
export class Life {
  /** Resolves when the worker has stopped. */
  readonly stopped: Promise<void>;
  readonly #worker: WorkerContext;
  readonly #engine: Engine;
  readonly #scheduler: Scheduler;
  readonly #ended = new AbortController();
  #onStopped = (): void => {};
  #session: Session | undefined;
  #does: 'works' | 'drains' | undefined;

  constructor(worker: WorkerContext, engine: Engine, scheduler: Scheduler) {
    this.#worker = worker;
    this.#engine = engine;
    this.#scheduler = scheduler;
    this.stopped = new Promise((resolve) => {
      this.#onStopped = resolve;
    });
  }

  /** Aborts when the worker has stopped. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether it has begun, and was not stopped. */
  get isWorking(): boolean {
    return this.#session?.isStopping === false && !this.signal.aborted;
  }

  /** Begins to work. */
  start(): void {
    if (!this.#begin('works')) return;
    const session = this.#open();
    session.begin();
    session.firing = this.#scheduler.run(this.signal);
  }

  /** Does what is due, and stops. */
  async drain(options: unknown): Promise<DrainReport> {
    const limits = readDrainOptions(options);
    const isAsked = limits.signal?.aborted !== true;
    this.#begin('drains');
    const draining = new Draining(this.#open(), this.#scheduler, limits);
    const counts = countEvents(this.#worker.emitter);
    const endedBy = await draining.ended();
    this.#throwUnanswered(endedBy, isAsked);
    const nextRunAt = this.#engine.nextRunAt(endedBy);
    return { ...counts(), endedBy, ...(nextRunAt < Infinity && { nextRunAt }) };
  }

  /** A drain whose claims were never answered has not found that there is nothing to do. @param isAsked - it had time to claim */
  #throwUnanswered(endedBy: DrainEnd, isAsked: boolean): void {
    const { hasAnswer, startError } = this.#worker;
    if (hasAnswer) return;
    if (startError !== undefined) throw startError.error;
    if (isAsked && (endedBy === 'maxMs' || endedBy === 'signal')) throw noAnswer(endedBy);
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
    const { name } = this.#worker.settings;
    if (this.#ended.signal.aborted || this.#session?.isStopping === true) throw workerStopped(name);
    if (this.#does === 'works' && does === 'works') return false;
    if (this.#does !== undefined) throw workerStarted(name, this.#does);
    this.#does = does;
    return true;
  }

  #open(): Session {
    const session = new Session(this.#worker, this.#engine, this.#ended);
    this.#session = session;
    void session.stopped.then(this.#onStopped);
    return session;
  }
}

/** How long the last exchange, the last fire of a schedule, or closing the broker, may take, in ms: a server may never answer. */
const LAST_EXCHANGE_MS = 1_000;

/**
 * How long a stop waits for answers while the worker has neither a run nor an outcome, in ms. Only the answer to a claim could bring runs
 * to give back: clients connect again within 5 s, or say that they cannot. What is answered later is given back if the process still lives;
 * else the leases of such runs expire.
 */
const IDLE_ANSWER_MS = 5_000;

/** How often a stopping worker looks whether it has anything left, in ms. */
const LOOK_MS = 1_000;

/** The time of a worker from its start until it has stopped. */
class Session {
  readonly worker: WorkerContext;
  /** Resolves when everything is settled and nothing of the worker keeps the process alive. */
  readonly stopped: Promise<void>;
  /** Resolves when no schedule is being fired any more. */
  firing: Promise<void> = Promise.resolve();
  readonly #engine: Engine;
  #begin = (_: Promise<void>): void => {};
  #giveUp = (): void => {};
  #cancelTimer = (): void => {};
  #cancelLook = (): void => {};
  #isStopping = false;
  /** The signal that stopped the worker. */
  #signal: SignalName | undefined;

  /** @param ended - is aborted when the worker has stopped */
  constructor(worker: WorkerContext, engine: Engine, ended: AbortController) {
    this.worker = worker;
    this.#engine = engine;
    engine.upkeep.start();
    useBroker(worker.settings.broker);
    const givenUp = new Promise<'given-up'>((resolve) => {
      this.#giveUp = () => resolve('given-up');
    });
    const signals = listenToSignals(worker.settings.signals, (signal) =>
      callOutside(() => this.#onSignal(signal)),
    );
    const working = new Promise<void>((resolve) => {
      this.#begin = resolve;
    });
    this.stopped = Promise.race([working, givenUp])
      .then((end) => this.#leave(ended, end !== 'given-up'))
      .finally(signals.end);
  }

  /** Whether it was stopped. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Begins to work. Not in the constructor: what it reports immediately may stop the worker. @param drain - does no more than that */
  begin(drain?: Drain): void {
    this.#begin(this.#engine.work(drain));
  }

  /** Stops the worker; handlers finish as their tasks say. */
  stop(): void {
    const { shutdownMs } = this.worker.settings;
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#engine.stop();
    if (shutdownMs < Infinity) this.#after(shutdownMs, () => this.#onShutdownTimeout());
    this.#awaitAnswers(0);
  }

  /** Stops it immediately once it has had nothing left for `IDLE_ANSWER_MS`. @param idleMs - for how long it has had nothing so far */
  #awaitAnswers(idleMs: number): void {
    const { settings, state } = this.worker;
    this.#cancelLook = settings.clock.setTimer(() => {
      const nowIdleMs = isIdle(state) ? idleMs + LOOK_MS : 0;
      if (nowIdleMs < IDLE_ANSWER_MS) this.#awaitAnswers(nowIdleMs);
      else this.stopNow();
    }, LOOK_MS);
  }

  /** The first signal stops the worker, the second one stops it immediately. */
  #onSignal(signal: SignalName): void {
    const isFirst = this.#signal === undefined;
    this.#signal = signal;
    if (isFirst) this.stop();
    else this.stopNow();
  }

  /** A task's own `shutdownTimeout` may be longer than the worker's. */
  #onShutdownTimeout(): void {
    if (this.worker.state.leased > 0) this.#after(LAST_EXCHANGE_MS, () => this.#onShutdownTimeout());
    else this.stopNow();
  }

  /** Stops the worker immediately; what runs is given back. */
  stopNow(): void {
    this.#isStopping = true;
    this.#cancelLook();
    this.#engine.stopNow();
    this.#after(LAST_EXCHANGE_MS, this.#giveUp);
  }

  /** Sets the timer that ends the session; it has only one, so the latest call counts. */
  #after(delayMs: number, callback: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.worker.settings.clock.setTimer(callback, delayMs);
  }

  /** Waits for a call that never rejects, at most for `LAST_EXCHANGE_MS`. */
  async #waitFor(call: Promise<void>): Promise<void> {
    const answered = new AbortController();
    await Promise.race([
      call.finally(() => answered.abort()),
      sleep(this.worker.settings.clock, LAST_EXCHANGE_MS, answered.signal),
    ]);
  }

  /** @param isAnswered - whether the broker has answered to the end */
  async #leave(ended: AbortController, isAnswered: boolean): Promise<void> {
    const { settings, emitter } = this.worker;
    this.#cancelTimer();
    this.#cancelLook();
    this.#engine.upkeep.stop();
    ended.abort();
    // What a schedule owes is written down before it is submitted: if that were left to other workers, it would be late.
    if (isAnswered) await this.#waitFor(this.firing);
    await this.#waitFor(
      leaveBroker(settings.broker, { isProcessEnding: this.#signal !== undefined }).catch((error: unknown) =>
        this.worker.emitError(error, 'closing the broker'),
      ),
    );
    emitter.emit('stopped', () => (this.#signal === undefined ? {} : { signal: this.#signal }));
  }
}

/** A session that ends when there is nothing more to do, or by a limit. */
class Draining implements Drain {
  readonly maxRuns: number;
  readonly #session: Session;
  readonly #scheduler: Scheduler;
  readonly #limits: DrainLimits;
  #endedBy: DrainEnd = 'stop';

  constructor(session: Session, scheduler: Scheduler, limits: DrainLimits) {
    this.maxRuns = limits.maxRuns;
    this.#session = session;
    this.#scheduler = scheduler;
    this.#limits = limits;
  }

  /** Drains. @returns what has ended it */
  async ended(): Promise<DrainEnd> {
    const { maxMs, signal } = this.#limits;
    const { clock } = this.#session.worker.settings;
    const onAbort = (): void => callOutside(() => this.end('signal'));
    signal?.addEventListener('abort', onAbort);
    const cancelTimer = maxMs < Infinity ? clock.setTimer(() => this.end('maxMs'), maxMs) : undefined;
    this.#session.begin(this);
    if (signal?.aborted === true) this.end('signal');
    await this.#session.stopped;
    cancelTimer?.();
    signal?.removeEventListener('abort', onAbort);
    return this.#endedBy;
  }

  fire(stopping: AbortSignal): Promise<number> {
    return this.#scheduler.fireOnce(stopping);
  }

  end(by: ClaimsEnd | DrainEnd): void {
    if (this.#session.isStopping) return;
    this.#endedBy = by;
    // Without an answer there is neither a handler nor an outcome: only the claim would be sent again, until the shutdown timeout.
    if (this.#session.worker.hasAnswer) this.#session.stop();
    else this.#session.stopNow();
  }
}
