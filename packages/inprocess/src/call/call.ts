import type { RetryBudget } from '@retry/core/budget';
import { wallAheadMs } from '@retry/core/clock';
import type { AbortListener, AbortWait } from '../time/abort-hub.ts';
import { onAbort, reasonOf } from '../time/abort-hub.ts';
import { yieldToEventLoop } from '../time/clock.ts';
import { CallRecord } from './call-record.ts';
import type { NextStep } from './decide.ts';
import { decideNext, endingBy, obstacleOf, pricedOf, refusalOf } from './decide.ts';
import type { CallEvent, Ending, Failure, GiveUpReason, RetryEvent } from './events.ts';
import type { FailedAttempt, FailureList } from './history.ts';
import { recordEnding, shorten } from './history.ts';
import { callHook, eventOf, isObserved, notify, notifySuccess, observer } from './hooks.ts';
import type { Attempt, Call } from './plan.ts';
import { nested } from './plan.ts';
import { isTimeout, isTimeoutOf, timeLeft, timeoutErrorOf } from './timeouts.ts';

/** A loop without delays yields to the event loop after this many attempts; otherwise timers and sockets would starve. */
const YIELD_EVERY_ATTEMPTS = 16;

const NO_RETRY = { delayMs: undefined, askedBy: undefined };

/** The wall clock is not read again for a failure that follows another one sooner. */
const READ_WALL_EVERY_MS = 1_000;

/** One call. It is its own abort listener, because many thousands may wait at the same time. */
export class RetryCall extends CallRecord implements Call, AbortListener {
  running: Attempt | undefined = undefined;
  /** Ends at once what the loop waits for. */
  #cut: ((reason: unknown) => void) | undefined = undefined;
  #clearTimeout: (() => void) | undefined = undefined;
  #abortWait: AbortWait | undefined = undefined;
  /** Gives back its place among the waiting calls of its group. */
  #unpark: (() => void) | undefined = undefined;
  /** What its latest retry has cost the budget. */
  #paid: number | undefined = undefined;
  /** When the budget can say whether it pays for the next retry, if it could not at once. */
  #budgetAnswer: Promise<void> | undefined = undefined;
  /** Whether it has an outcome, which nothing changes: hooks that are called because of it may abort the call. */
  #isOver = false;
  /** When it ended in failure, if anything observes that. */
  #endedAt: number | undefined = undefined;

  /** Ends with the signal that it was given, if it was given one. */
  watchSignal(): void {
    const { signal } = this.plan;
    if (signal !== undefined) this.#abortWait = onAbort(signal, this);
  }

  waitInitialDelay(): Promise<void> | undefined {
    const { plan, clock } = this;
    const delayMs = plan.policy.initialDelayMs;
    if (plan.signal?.aborted) return undefined;
    if (plan.options.group?.hasRoom === false) return void this.#end(endingBy('group', this));
    const now = clock.now();
    if (delayMs >= timeLeft(this, now)) return void this.#end(endingBy('total-timeout', this));
    this.#park({ attempt: 0, error: undefined, failedAt: now, delayMs });
    return this.#wait(delayMs);
  }

  startAttempt(): boolean {
    this.#giveBackPlace();
    if (this.ending !== undefined) return false;
    const { plan, options, attempts } = this;
    const { attemptTimeoutMs } = plan.policy;
    const startedAt = this.#nextStart();
    const leftMs = timeLeft(this, startedAt);
    // The breaker is asked last, because it may give its only probe.
    const reason = obstacleOf(this, leftMs) ?? this.takePermit();
    if (this.#isOver)
      this.#abandon(); // a hook of the breaker has aborted
    else if (reason !== undefined) this.#end(endingBy(reason, this), startedAt);
    else {
      const attempt = attempts + 1;
      if (isObserved(options.onAttempt)) notify('onAttempt', this, { attempt }, startedAt);
      if (this.ending !== undefined) return false; // the hook has aborted
      this.attempts = attempt;
      this.attemptStartedAt = startedAt;
      if (attempt === 1 && plan.budget !== undefined) this.#countRequest(plan.budget);
      const isTotal = leftMs <= attemptTimeoutMs && leftMs < Infinity;
      this.running = this.#createAttempt(startedAt, isTotal ? leftMs : attemptTimeoutMs, isTotal);
    }
    return this.ending === undefined;
  }

  /** Apart, because a closure in `startAttempt` would cost every attempt. */
  #countRequest(budget: RetryBudget): void {
    this.#inform(() => budget.record({ type: 'request' }));
  }

  /** Returns now, if anything reads it; the first attempt starts with the call. */
  #nextStart(): number {
    const { policy } = this.plan;
    const { startedAt } = this;
    const isFirst = this.attempts === 0 && !(policy.initialDelayMs > 0);
    // Calls inside the attempt read what it has left.
    if (isFirst && (nested.nesting === undefined || !Number.isNaN(startedAt))) return startedAt;
    const isTimed = !Number.isNaN(startedAt) || policy.attemptTimeoutMs < Infinity;
    return isTimed ? this.clock.now() : Number.NaN;
  }

  #createAttempt(startedAt: number, timeoutMs: number, isTotal: boolean): Attempt | undefined {
    const { withContext } = nested.nesting ?? this.plan;
    if (withContext === undefined && timeoutMs === Infinity) return undefined;
    const limit = { startedAt, timeoutMs, isTotal, isTimedOut: false, directive: undefined };
    return withContext?.(this, limit) ?? limit;
  }

  get isBare(): boolean {
    const { running: attempt, plan } = this;
    if (plan.signal !== undefined || observer.attempt !== undefined) return false;
    return attempt === undefined || (nested.nesting === undefined && attempt.timeoutMs === Infinity);
  }

  invoke(self: unknown, parameters: unknown[] | undefined): unknown {
    const { fn } = this.plan;
    const { nesting } = nested;
    const { running: attempt } = this;
    if (attempt !== undefined && attempt.timeoutMs < Infinity)
      this.#clearTimeout ??= this.#setTimeout(attempt, attempt.timeoutMs);
    const call = (): unknown => fn.apply(self, parameters ?? [attempt]);
    const run =
      nesting === undefined || attempt === undefined ? call : (): unknown => nesting.enter(attempt, call);
    const { attempt: observe } = observer;
    return this.#race(observe === undefined ? run : () => observe(this, run));
  }

  /** Runs what may be cut short. */
  #race(run: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#cut = reject;
      const returned = run();
      // To resolve with a thenable would take two more turns of the microtasks, and nothing could cut it short.
      if (returned instanceof Promise) returned.then(resolve, reject);
      else if (Object(returned) === returned) Promise.resolve(returned).then(resolve, reject);
      else resolve(returned);
    });
  }

  /**
   * Sets a timer for the end of an attempt. It serves the attempts after it, too, as none of them ends earlier: when
   * it fires in one of those, it is set again for what that attempt has left.
   */
  #setTimeout(attempt: Attempt, timeoutMs: number): () => void {
    return this.clock.setTimer(() => this.#onTimeout(attempt), timeoutMs);
  }

  #onTimeout(meant: Attempt): void {
    const { running } = this;
    this.#clearTimeout = undefined;
    if (running === undefined) return;
    const isDue = running === meant || meant.isTotal;
    const leftMs = isDue ? 0 : running.startedAt + running.timeoutMs - this.clock.now();
    if (leftMs > 0) {
      this.#clearTimeout = this.#setTimeout(running, leftMs);
      return;
    }
    this.#expire(running);
  }

  /** Ends an attempt that took too long; returns its error. */
  #expire(running: Attempt): Error {
    const error = timeoutErrorOf(this, running);
    running.isTimedOut = true;
    running.interrupt?.(error); // first, so that calls inside the attempt end, and notify, before this one
    this.#cut?.(error);
    return error;
  }

  accepts(result: unknown): boolean {
    const refused = this.ending === undefined ? refusalOf(this.options, result, this.attempts) : undefined;
    if (this.ending !== undefined) return false;
    if (refused !== undefined) {
      this.fail(refused);
      return false;
    }
    this.#isOver = true;
    this.running = undefined;
    const { permit } = this;
    const { budget } = this.plan;
    if (permit !== undefined) this.#inform(() => permit.succeed());
    this.#release();
    this.#leaveGroup();
    if (budget !== undefined) this.#inform(() => budget.record({ type: 'success', paid: this.#paid }));
    if (observer.observe !== undefined) notifySuccess(this);
    return true;
  }

  fail(given: Failure): void {
    if (this.ending !== undefined) return;
    const { attempts: attempt, running } = this;
    const isLate = running?.isTimedOut === false && isTimeoutOf(running, given.error);
    const failure = isLate ? { error: this.#expire(running) } : given;
    const failedAt = this.clock.now();
    const next = decideNext(this, failure, failedAt);
    if (this.ending !== undefined) return; // a function that the decision called has aborted
    this.running = undefined;
    this.#cut = undefined; // holds the promise of the attempt, as long as the call may wait
    const isStopped = running?.directive?.type === 'stop' && !('result' in failure);
    const { error } = isStopped ? running.directive : failure;
    this.latest = this.#entryOf(error, failedAt, next);
    if (next.type === 'fail') {
      const { reason, thrown } = next;
      const last = thrown === undefined ? failure : { ...failure, thrown };
      this.#end({ ...last, error, attempt, reason }, failedAt);
      return;
    }

    this.refused = 'result' in failure ? failure : undefined;
    this.#park(this.latest);
    this.#budgetAnswer = next.budgetAnswer;
    if (next.budgetAnswer === undefined) this.#beginRetry(this.latest, failedAt);
  }

  /** Pays for a retry, and notifies of it. */
  #beginRetry(latest: FailureList, now: number): void {
    const { budget } = this.plan;
    if (budget !== undefined)
      this.#inform(() => {
        this.#paid = budget.spend(this.#priced(latest));
      });
    if (isObserved(this.options.onRetry)) notify('onRetry', this, this.#retryDetails(latest), now);
  }

  #priced({ error }: FailureList): unknown {
    return pricedOf(this.plan, this.refused ?? { error });
  }

  /** Returns the history with the failure of the latest attempt. */
  #entryOf(error: unknown, failedAt: number, next: NextStep): FailureList {
    const { attempts: attempt, latest: previous, clock } = this;
    const { delayMs, askedBy } = next.type === 'retry' ? next : NO_RETRY;
    const isSoon = previous !== undefined && failedAt - previous.failedAt < READ_WALL_EVERY_MS;
    const aheadMs = isSoon ? previous.aheadMs : wallAheadMs(clock, failedAt);
    return shorten({ attempt, error, failedAt, aheadMs, delayMs, askedBy, previous });
  }

  waitForRetry(): Promise<void> | undefined {
    const { latest } = this;
    if (this.#budgetAnswer !== undefined) return this.#waitForBudget(this.#budgetAnswer);
    if (latest?.delayMs !== undefined && latest.delayMs > 0) return this.#wait(latest.delayMs);
    return this.attempts % YIELD_EVERY_ATTEMPTS === 0 ? yieldToEventLoop() : undefined;
  }

  /** Waits until the budget can say whether it pays for the retry, and for what is left of the delay then. */
  async #waitForBudget(answer: Promise<void>): Promise<void> {
    const { latest, clock, plan } = this;
    this.#budgetAnswer = undefined;
    // What is wrong with a budget is reported when it is asked.
    await this.#runInTime(() => answer, timeLeft(this, clock.now())).catch(() => {});
    if (this.ending !== undefined || latest === undefined) return;
    const now = clock.now();
    let isPaid = false;
    this.#inform(() => {
      isPaid = plan.budget?.allowsRetry(this.#priced(latest)) === true;
    });
    if (!isPaid) return void this.#end(endingBy('budget', this), now);
    this.#beginRetry(latest, now);
    const leftMs = latest.failedAt + (latest.delayMs ?? 0) - now; // a call that an observer has ended has no delay
    if (leftMs > 0) await this.#wait(leftMs);
  }

  async runBeforeRetry(): Promise<void> {
    const { latest, clock, options } = this;
    if (this.ending !== undefined || latest === undefined) return;
    const now = clock.now();
    const leftMs = timeLeft(this, now);
    if (obstacleOf(this, leftMs) !== undefined) return; // startAttempt() ends the call
    const run = (): unknown => options.beforeRetry?.(eventOf(this, this.#retryDetails(latest), now));
    try {
      await this.#runInTime(run, leftMs);
    } catch (thrown) {
      if (this.ending === undefined) this.#end({ ...endingBy('stopped', this), thrown });
    }
  }

  /** Runs what may be cut short, at the latest by the total timeout. */
  async #runInTime(run: () => unknown, leftMs: number): Promise<void> {
    const cancel =
      leftMs < Infinity ? this.clock.setTimer(() => this.#giveUp('total-timeout'), leftMs) : undefined;
    try {
      await this.#race(run);
    } finally {
      cancel?.();
    }
  }

  finish(): unknown {
    this.#announceEnding();
    if (this.ending === undefined || 'result' in this.ending) return this.ending?.result;
    throw this.ending.error;
  }

  onAborted(): void {
    if (this.#isOver) return;
    const { plan, running } = this;
    const error = reasonOf(plan.signal);
    // Of the attempt around the call: this one has used up what that had left, and has a timer for the same instant.
    if (running?.isTotal && isTimeout(error)) {
      this.fail({ error: this.#expire(running) });
      return;
    }
    running?.interrupt?.(error);
    this.#endNow({ error, attempt: this.attempts, reason: 'aborted' });
  }

  /** Takes a place among the waiting calls of its group until the next attempt starts; it is ended when the group is drained. */
  #park(failed: FailedAttempt): void {
    const { group } = this.options;
    if (group === undefined) return;
    this.#inform(() => {
      this.#unpark = group.park(() => this.#giveUp('group'), this, failed);
    });
  }

  #giveBackPlace(): void {
    const unpark = this.#unpark;
    if (unpark === undefined) return;
    this.#unpark = undefined;
    this.#inform(unpark);
  }

  /** Ends the call with its last failure while the loop waits for something. */
  #giveUp(reason: GiveUpReason): void {
    this.#endNow(endingBy(reason, this));
  }

  /** Ends the call in failure while the loop waits for something. */
  #endNow(ending: Ending): void {
    this.#end(ending);
    this.#cut?.(ending.error);
  }

  /** Ends the call in failure, unless it is over. */
  #end(ending: Ending, at?: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.ending = ending;
    if (isObserved(this.options.onGiveUp)) this.#endedAt = at ?? this.clock.now();
    // The attempt that was to follow it never started.
    if (this.latest?.attempt === this.attempts) this.latest.delayMs = undefined;
    this.#release();
    recordEnding(ending.error, this);
  }

  /**
   * Notifies of the end in failure. Called by the loop, which runs in the AsyncLocalStorage of the caller: what has ended the call may
   * be the abort, or the drained group, of another request.
   */
  #announceEnding(): void {
    const { ending } = this;
    if (ending !== undefined && this.#endedAt !== undefined)
      notify('onGiveUp', this, Object.assign({}, ending), this.#endedAt);
    this.#leaveGroup();
  }

  /** Removes the call from its signals and its timer, and from those that wait, once it has ended. */
  #release(): void {
    const { release } = this.plan;
    this.#clearTimeout?.();
    this.#giveBackPlace();
    this.#abandon();
    this.#abortWait?.end();
    release?.();
  }

  /** Last of all, because who drains the group may exit the process once no call is in progress. */
  #leaveGroup(): void {
    const { group } = this.options;
    if (group !== undefined) this.#inform(() => group.leave());
  }

  /** Gives back the permit of the circuit breaker; nothing, if it has reported. */
  #abandon(): void {
    const { permit } = this;
    if (permit !== undefined) this.#inform(() => permit.abandon());
  }

  /** Informs a breaker, a budget or a group, which may be the user's own: what it throws is reported and changes nothing. */
  #inform(report: () => unknown): void {
    callHook(report, undefined, this.options.reportError);
  }

  #wait(delayMs: number): Promise<void> {
    const { plan, options, clock } = this;
    // A timer that serves nothing during the wait would cost the waiting call a third of its memory.
    this.#clearTimeout?.();
    this.#clearTimeout = undefined;
    return new Promise((resolve) => {
      const cancel = clock.setTimer(resolve, delayMs);
      if (plan.signal === undefined && options.group === undefined) return;
      this.#cut = () => {
        cancel();
        resolve();
      };
    });
  }

  #retryDetails({ error, delayMs = 0, askedBy }: FailureList): Omit<RetryEvent, keyof CallEvent> {
    const { refused, attempts: attempt } = this;
    const details = { attempt, error, delayMs, ...(askedBy !== undefined && { askedBy }) };
    return refused === undefined ? details : { ...details, result: refused.result };
  }
}
