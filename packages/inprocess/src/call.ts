import type { Clock } from '@retry/core';
import type { Attempt, CallView } from './attempt.ts';
import { eventOf } from './call-event.ts';
import { createId } from './create-id.ts';
import type { Failed, FailedAttempt } from './failed-attempt.ts';
import { remember } from './failed-attempt.ts';
import { isHeard, tell } from './hooks.ts';
import { installed } from './instruments.ts';
import { judgeResult } from './judge-result.ts';
import { endingBy, findObstacle, limitOf, timeLeft } from './limits.ts';
import type { CallEvent, Ending, RetryEvent, RetryOptions } from './options.ts';
import type { Plan } from './plan.ts';
import { noteInfo } from './retry-info.ts';
import type { TimeLimit } from './run-attempt.ts';
import { runWithin } from './run-attempt.ts';
import { attemptsOf } from './scope.ts';
import { breathe, wait } from './wait.ts';
import type { Failure } from './weigh-failure.ts';
import { weighFailure } from './weigh-failure.ts';

/** After this many attempts without delay the event loop turns, or timers and sockets would never get their turn. */
const YIELD_EVERY_ATTEMPTS = 16;

/** One call under retry: what has happened, and what is to happen next. */
export class Call implements CallView {
  readonly plan: Plan;
  /** Epoch milliseconds; `NaN` when nothing asks for it. */
  readonly startedAt: number;
  /** Attempts that have begun. */
  begun: number;
  latest: Failed | undefined;
  /** Set once retrying has ended in failure. */
  over: Ending | undefined;
  /** What the function was called with. */
  parameters: readonly unknown[] = NONE;
  /** What the retries cost the budget. */
  #paid = 0;
  #id: string | undefined;
  /** When the attempt that runs started; `NaN` when none runs, or nothing asks for it. */
  #attemptStartedAt = Number.NaN;
  #latestAttemptMs = 0;
  /** The result that was refused last, where it was a result that failed. */
  refused: Failure | undefined;

  constructor(plan: Plan, startedAt: number, begun = 0) {
    this.plan = plan;
    this.startedAt = startedAt;
    this.begun = begun;
  }

  get id(): string {
    this.#id ??= createId(this.options.random);
    return this.#id;
  }

  get name(): string {
    return this.options.name ?? this.plan.fn.name;
  }

  get options(): RetryOptions<never> {
    return this.plan.options;
  }

  get clock(): Clock {
    return this.plan.clock;
  }

  get maxAttempts(): number {
    return attemptsOf(this.plan.policy);
  }

  /** Whether something may ask how long it, or an attempt of it, has taken. */
  get isTimed(): boolean {
    return this.plan.isTimed || installed.observe !== undefined;
  }

  get elapsedMs(): number {
    return since(this.startedAt, this.clock);
  }

  get attemptMs(): number {
    return Number.isNaN(this.#attemptStartedAt)
      ? this.#latestAttemptMs
      : since(this.#attemptStartedAt, this.clock);
  }

  /** Notes which attempt an abort would have to tell. */
  note(_attempt: Attempt | undefined): void {}

  hold(_cancel: () => void): void {}

  /** Waits for the policy's `initialDelay`. */
  delayFirst(): Promise<void> | undefined {
    const { plan, clock } = this;
    const delayMs = plan.policy.initialDelayMs;
    if (!(delayMs > 0) || plan.signal?.aborted) return undefined;
    const now = clock.now();
    if (delayMs >= timeLeft(this, now)) return this.end(endingBy('total-timeout', this));
    return this.#wait({ attempt: 0, error: undefined, failedAt: now, delayMs });
  }

  /** Begins the next attempt; the call is over where none may start. `undefined` when nothing asks the attempt. */
  begin(): Attempt | undefined {
    if (this.over !== undefined) return undefined;
    const { latest, options } = this;
    const limit = limitOf(this);
    const reason = findObstacle(this, limit.timeoutMs);
    if (reason !== undefined) return this.end(endingBy(reason, this));

    const attempt = this.begun + 1;
    if (isHeard('onAttempt', options)) tell('onAttempt', eventOf(this, { attempt }), this);
    this.begun = attempt;
    this.#attemptStartedAt = limit.startedAt;
    const layers = installed.nesting ?? this.plan.layers;
    const { startedAt, timeoutMs, totalMs } = limit;
    if (layers.tell === undefined && timeoutMs === Infinity) return undefined;
    const start = {
      call: this,
      attempt,
      previousError: latest?.error,
      timeoutMs,
      totalMs,
      startedAt,
      isTimedOut: false,
      wish: undefined,
    };
    const told = layers.tell?.(start) ?? start;
    this.note(told);
    return told;
  }

  /** Whether the result is to be given to the caller; one that is refused is weighed like a failure. */
  accepts(result: unknown, attempt: Attempt | undefined): boolean {
    if (this.over !== undefined) return true;
    const refused = judgeResult(this.options, result, this.begun);
    if (refused !== undefined) this.fail(refused, attempt);
    else if (this.over === undefined) {
      this.leave();
      this.plan.budget?.record({ type: 'success', paid: this.#paid });
    }
    return refused === undefined;
  }

  /** Decides what follows a failed attempt. */
  fail(failure: Failure, attempt: Attempt | undefined): void {
    if (this.over !== undefined) return;
    const { begun: number, plan, options } = this;
    const failedAt = this.clock.now();
    this.#endAttempt(failedAt);
    const verdict = weighFailure(this, failure, { attempt, failedAt });
    if (this.over !== undefined) return; // what it asked has aborted
    this.note(undefined);
    const delayMs = verdict.type === 'retry' ? verdict.delayMs : undefined;
    const { error } = attempt?.wish?.type === 'stop' ? attempt.wish : failure;
    this.latest = remember({ attempt: number, error, failedAt, delayMs, previous: this.latest });
    if (verdict.type === 'fail') {
      const { reason, thrown } = verdict;
      const told = thrown === undefined ? failure : { ...failure, thrown };
      return void this.end({ ...told, error, attempt: number, reason });
    }

    this.refused = 'result' in failure ? failure : undefined;
    if (plan.budget !== undefined) this.#paid += plan.budget.spend(error);
    if (isHeard('onRetry', options)) tell('onRetry', eventOf(this, this.#retryOf(verdict.delayMs)), this);
  }

  /** Waits for the next attempt, or until there is to be none; for ever when the caller aborts. */
  pause(): Promise<void> | undefined {
    const { latest } = this;
    if (latest === undefined) return undefined;
    const { delayMs = 0, attempt } = latest;
    if (delayMs <= 0) return attempt % YIELD_EVERY_ATTEMPTS === 0 ? breathe() : undefined;
    return this.#wait({ ...latest, delayMs });
  }

  /** Awaits `beforeRetry` for as long as there is time; the call is over when it throws, or takes longer. */
  async prepare(beforeRetry: NonNullable<RetryOptions['beforeRetry']>): Promise<void> {
    const { latest, clock } = this;
    if (this.over !== undefined || latest === undefined) return;
    const timeoutMs = timeLeft(this, clock.now());
    if (findObstacle(this, timeoutMs) !== undefined) return; // begin() ends it
    const cut: TimeLimit['cut'] = ({ resolve }) => resolve(this.end(endingBy('total-timeout', this)));
    const run = (): unknown => beforeRetry(eventOf(this, this.#retryOf(latest.delayMs)));
    try {
      await (timeoutMs === Infinity ? run() : runWithin(run, { timeoutMs, cut }, this));
    } catch (thrown) {
      if (this.over === undefined) this.end({ ...endingBy('stopped', this), thrown });
    }
  }

  #wait(failed: FailedAttempt & { readonly delayMs: number }): Promise<void> {
    const { options, clock } = this;
    const { group } = options;
    const park = group && ((wake: () => void) => group.park(wake, this, failed));
    return new Promise((resolve) => this.hold(wait(resolve, failed.delayMs, clock, park)));
  }

  #retryOf(delayMs = 0): Omit<RetryEvent, keyof CallEvent> {
    const { refused, latest, begun: attempt } = this;
    return { ...(refused ?? { error: latest?.error }), attempt, delayMs };
  }

  #endAttempt(endedAt: number): void {
    // Before the first failure of a bare call nothing has been timed.
    this.#latestAttemptMs = Math.max(endedAt - this.#attemptStartedAt, 0) || 0;
    this.#attemptStartedAt = Number.NaN;
  }

  /** What a call that is over comes to: the last result where that is what was refused, else a throw. */
  finish(): unknown {
    if (this.over === undefined || 'result' in this.over) return this.over?.result;
    throw this.over.error;
  }

  /** Ends it in failure. */
  end(over: Ending): undefined {
    this.over = over;
    this.leave();
    noteInfo(over.error, this);
    if (isHeard('onGiveUp', this.options)) tell('onGiveUp', eventOf(this, over), this);
  }

  /** Takes it off whatever knew that it was under way. */
  leave(): void {
    this.options.group?.leave();
    this.plan.release?.();
  }
}

const NONE: readonly unknown[] = [];

/** Milliseconds since an instant, `≥ 0`; 0 where it was not noted. */
function since(at: number, clock: Clock): number {
  return Number.isNaN(at) ? 0 : Math.max(clock.now() - at, 0);
}
