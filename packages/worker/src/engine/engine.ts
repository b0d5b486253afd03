import type { Claim } from '@retry/core/broker';
import { TrustedWait } from '@retry/core/broker/kit';
import { Executions } from '../run/executions.ts';
import { waitUntilReady } from '../session/broker-use.ts';
import type { DrainEnd } from '../session/drain.ts';
import { observeClaim } from '../session/observed-calls.ts';
import { Settler } from '../settle/settler.ts';
import { sleep } from '../sleep.ts';
import { Exchanger, newRequestId } from './exchanger.ts';
import { apply } from './plan/apply.ts';
import type { WorkerPlan } from './plan/plan.ts';
import { giveBackInMs, isIdle, opensIn, plan } from './plan/plan.ts';
import type { ClaimsEnd, PlannedClaim } from './plan/worker-state.ts';
import { AnswerTurns, nextTurn } from './turns.ts';
import { Upkeep } from './upkeep.ts';
import type { WorkerContext } from './worker-context.ts';

/** How long to wait before the next claim, at most, when the broker could not wait for work, in ms. */
const AFTER_ERROR_MS = 1_000;

/** What a worker that drains is to do. */
export interface Drain {
  /** How many handlers it may call; `Infinity` for no limit. */
  readonly maxRuns: number;
  /** Fires the schedules that are due, unless the signal aborts. Never rejects. @returns when the next one is due, by the broker's clock */
  fire(signal: AbortSignal): Promise<number>;
  /** Called once nothing runs, everything is settled, and nothing more is to be claimed. */
  end(by: ClaimsEnd): void;
}

/**
 * The main loop of a worker: does what `plan` says until it has to stop, and notes in its state what has happened. It has the timers,
 * promises and the broker; what is decided by them, `plan` decides.
 */
export class Engine {
  /** What the worker does again and again meanwhile. */
  readonly upkeep: Upkeep;
  readonly #worker: WorkerContext;
  readonly #exchanger: Exchanger;
  readonly #executions: Executions;
  readonly #answerTurns = new AnswerTurns();
  /** Wakes the loop when runs have waited for a slot for too long. */
  #cancelGiveBack: (() => void) | undefined;
  #drain: Drain | undefined;
  /** Whether a drain could not settle what workers that died have left. */
  #leavesExpired = false;
  /** When something of its lanes may start, by the broker's clock, as the latest claim that returned nothing showed. */
  #nextRunAt = Infinity;
  /** When the next schedule is due, by the broker's clock, as a drain has read. */
  #nextFireAt = Infinity;

  constructor(worker: WorkerContext) {
    this.#worker = worker;
    this.#exchanger = new Exchanger(worker);
    const settler = new Settler(worker, this.#exchanger);
    this.#executions = new Executions(worker, this.#exchanger, settler);
    this.upkeep = new Upkeep(worker, this.#exchanger, this.#executions.leases, settler);
  }

  /** What renews leases while the event loop is blocked. */
  get leaseRenewal(): 'thread' | 'loop' {
    return this.#executions.guard.by;
  }

  /** When to drain again, in epoch ms by the broker's clock; `Infinity`: nothing is scheduled. @param end - why this one has ended */
  nextRunAt(end: DrainEnd): number {
    return end === 'empty' ? this.#nextRunAt : this.#worker.now();
  }

  /**
   * Works, once the broker is ready, until it is stopped; resolves when nothing runs any more and everything is settled.
   *
   * @param drain - it claims no more than that, and what is called at the end stops the worker
   */
  async work(drain?: Drain): Promise<void> {
    const worker = this.#worker;
    this.#executions.guard.open();
    await waitUntilReady(worker.settings, worker.stopping.signal, worker);
    if (worker.state.isStopping) return this.#close();
    worker.isReady = true;
    worker.startError = undefined;
    this.upkeep.register();
    if (drain !== undefined) await this.#beginToDrain(drain);
    await this.#loop();
    this.#cancelGiveBack?.();
    this.#close();
    await Promise.all([worker.settled(), this.#executions.settled()]);
    await this.upkeep.unregister();
  }

  /** Does what the plan says, and plans again when something has happened, until the worker has stopped and all is settled. */
  async #loop(): Promise<void> {
    const { state, settings, restOfTurn } = this.#worker;
    const { clock } = settings;
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
        await restOfTurn.pass();
      }
    }
  }

  /** Stops claiming; each running handler finishes, stalls or is given back, as its task says. */
  stop(): void {
    this.#worker.stop();
    this.#executions.stop();
    this.#worker.wake();
  }

  /** Gives back all runs, and stops resending exchanges that fail. */
  stopNow(): void {
    this.#worker.stop();
    this.#exchanger.giveUp();
    this.#executions.stopNow();
    this.#close();
    this.#worker.wake();
  }

  /** Leaves nothing of the leases behind. */
  #close(): void {
    this.upkeep.close();
    this.#worker.watch.close();
    this.#executions.close();
  }

  async #beginToDrain(drain: Drain): Promise<void> {
    const { state, stopping, wakeSignal } = this.#worker;
    this.#nextFireAt = await drain.fire(stopping.signal);
    apply(state, { type: 'drains', maxRuns: drain.maxRuns });
    this.#drain = drain;
    void this.upkeep.cleanForDrain().then((isClean) => {
      this.#leavesExpired = !isClean;
      apply(state, { type: 'cleaned' });
      wakeSignal.notify();
    });
  }

  #endDrain(end: ClaimsEnd, now: number): void {
    const { state } = this.#worker;
    const serverNow = this.#worker.now();
    const opensAt = serverNow + opensIn(state, now);
    const fireAt = Math.max(serverNow, this.#nextFireAt);
    const cleanAt = this.#leavesExpired ? serverNow : Infinity;
    this.#nextRunAt = Math.min(state.empty?.nextRunAt ?? Infinity, opensAt, fireAt, cleanAt);
    this.#drain?.end(end);
  }

  async #exchange(planned: PlannedClaim | undefined, sentAt: number): Promise<void> {
    const { state, settings, wakeSignal } = this.#worker;
    apply(state, { type: 'sent', claim: planned, now: sentAt });
    const received = await this.#exchanger.exchange(planned && this.#claim(planned));
    const now = settings.clock.now();
    if (received !== undefined && received.claimed.length > 0)
      observeClaim(settings.name, received.claimed, now - sentAt);
    if (!this.#answerTurns.take()) await this.#answerTurns.next();
    apply(state, { type: 'answered', claim: planned, sentAt, now, received });
    if (received !== undefined && received.claimed.length > 0) {
      const inOrder = planned && state.retryShares?.inOrder(planned, received.claimed);
      this.#executions.take(inOrder ?? received.claimed, sentAt);
    }
    // Here, too: it may be some turns until the loop waits.
    if (state.waiting.length > 0) this.#watchWaiting(giveBackInMs(state, settings.clock.now()));
    wakeSignal.notify();
  }

  #claim({ limit, lanes, dueLimits }: PlannedClaim): Claim {
    const { name, leaseMs } = this.#worker.settings;
    const { limits: concurrency } = this.#worker.state;
    const claim = { worker: name, requestId: newRequestId(), leaseMs, limit, lanes };
    if (concurrency.size === 0 && dueLimits === undefined) return claim;
    return {
      ...claim,
      ...(concurrency.size > 0 && { concurrency }),
      ...(dueLimits !== undefined && { dueLimits }),
    };
  }

  /** Waits until there may be something to do: a run has ended, an exchange was answered, or work has arrived. */
  #wait({ waitFor, wakeInMs, giveBackInMs }: WorkerPlan): Promise<void> {
    const { clock } = this.#worker.settings;
    this.#watchWaiting(giveBackInMs);
    if (waitFor === undefined) return this.#worker.wakeSignal.sleep(clock, wakeInMs);
    return this.#worker.wakeSignal.during(async (signal) => {
      await this.#waitForWork(waitFor, wakeInMs, signal);
      apply(this.#worker.state, { type: 'changed' });
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
    } else this.#cancelGiveBack ??= this.#worker.settings.clock.setTimer(() => this.#giveBackLate(), inMs);
  }

  #giveBackLate(): void {
    this.#cancelGiveBack = undefined;
    const now = this.#worker.settings.clock.now();
    this.#executions.giveBackLate(now);
    this.#watchWaiting(giveBackInMs(this.#worker.state, now));
  }

  async #waitForWork(lanes: ReadonlySet<string>, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { broker, clock } = this.#worker.settings;
    const pollsAt = clock.now() + timeoutMs;
    try {
      await broker.wait(new TrustedWait(lanes, timeoutMs, signal));
      if (!signal.aborted && clock.now() >= pollsAt) this.#worker.state.lateness.notePoll(clock.now());
    } catch (error) {
      this.#worker.emitError(error, 'waiting for work');
      const { pollMs } = this.#worker.state;
      await sleep(clock, Math.min(pollMs, opensIn(this.#worker.state, clock.now()), AFTER_ERROR_MS), signal);
    }
  }
}
