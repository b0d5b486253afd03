import type { Clock } from '@retry/core';
import { offAbort, onAbort } from './abort-hub.ts';
import { Abortable } from './abortable.ts';
import type { Attempt, CallView } from './attempt.ts';
import { createId } from './create-id.ts';
import type { Failed } from './failed-attempt.ts';
import { remember } from './failed-attempt.ts';
import { isHeard, tell } from './hooks.ts';
import type { ObservedCall } from './instruments.ts';
import { installed } from './instruments.ts';
import { judgeResult } from './judge-result.ts';
import type { RetryOptions, StopEvent, StopReason } from './options.ts';
import type { Plan } from './plan.ts';
import { noteInfo } from './retry-info.ts';
import { attemptsOf } from './scope.ts';
import { breathe, wait } from './wait.ts';
import type { End, Failure } from './weigh-failure.ts';
import { weighFailure } from './weigh-failure.ts';

/** After so many attempts without delay the event loop turns, or no timer and no socket would ever be heard. */
const BREATH_ATTEMPTS = 16;

/** One call under retry: what has happened, and what is to happen next. */
export class Call implements CallView, ObservedCall {
  readonly plan: Plan;
  /** Epoch milliseconds; 0 when nobody can ask. */
  readonly startedAt: number;
  latest: Failed | undefined;
  /** Set once retrying has ended in failure. */
  over: StopEvent | undefined;
  /** What the retries cost the budget. */
  #paid = 0;
  #id: string | undefined;
  #refused: Failure | undefined;
  #abortable: Abortable | undefined;

  constructor(plan: Plan, startedAt: number) {
    this.plan = plan;
    this.startedAt = startedAt;
  }

  get id(): string {
    this.#id ??= createId(this.options.random);
    return this.#id;
  }

  get name(): string {
    return this.plan.fn.name;
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

  /** From now on the call is over at once when the signal aborts; what is under way then is not heard any more. */
  heed(signal: AbortSignal, reject: (reason: unknown) => void): void {
    this.#abortable = new Abortable(this, signal, reject);
    onAbort(signal, this.#abortable);
  }

  /** The caller has aborted while this attempt ran, or in a wait. */
  abort(attempt: Attempt | undefined, reason: unknown): void {
    this.#end(attempt?.attempt ?? this.latest?.attempt ?? 0, { error: reason }, { reason: 'aborted' });
  }

  /** Keeps what has to be cleared when the caller aborts; the latest is enough. */
  hold(cancel: () => void): void {
    if (this.#abortable !== undefined) this.#abortable.cancel = cancel;
  }

  /** The attempt that is next; `undefined` when none may start, and then the call is over. */
  begin(): Attempt | undefined {
    if (this.over !== undefined) return undefined;
    const { latest, options } = this;
    const made = latest?.attempt ?? 0;
    const { startedAt, timeoutMs } = this.#timeForAttempt();
    const reason = this.#obstacle(made, timeoutMs);
    const previousError = latest?.error;
    if (reason !== undefined) return this.#end(made, this.#lastFailure(reason), { reason });

    const attempt = made + 1;
    if (isHeard('onAttempt', options)) tell('onAttempt', { attempt, id: this.id }, this);
    const layers = installed.nesting ?? this.plan.layers;
    const start = {
      call: this,
      attempt,
      previousError,
      timeoutMs: Math.max(timeoutMs, 0),
      startedAt,
      isTimedOut: false,
      wish: undefined,
    };
    return this.#run(layers.tell?.(start) ?? start);
  }

  /** Whether the result is to be given to the caller; one that is refused is weighed like a failure. */
  accepts(result: unknown, attempt: Attempt): boolean {
    if (this.over !== undefined) return true;
    const refused = judgeResult(this.options, result, attempt.attempt);
    if (refused !== undefined) this.fail(refused, attempt);
    else if (this.over === undefined) this.#leave(true);
    return refused === undefined;
  }

  /** Decides what follows a failed attempt; one without an `Attempt` needed none. */
  fail(failure: Failure, attempt: Attempt | undefined): void {
    if (this.over !== undefined) return;
    const { latest, plan, options } = this;
    const number = (latest?.attempt ?? 0) + 1;
    const failedAt = this.clock.now();
    const verdict = weighFailure(this, failure, { attempt, number, failedAt });
    if (this.over !== undefined) return; // what it asked has aborted
    this.#run(undefined);
    const delayMs = verdict.type === 'retry' ? verdict.delayMs : undefined;
    const { error } = attempt?.wish?.type === 'stop' ? attempt.wish : failure;
    this.latest = remember({ attempt: number, error, failedAt, delayMs, previous: latest });
    if (verdict.type === 'fail') return void this.#end(number, { ...failure, error }, verdict);

    this.#refused = 'result' in failure ? failure : undefined;
    if (plan.budget !== undefined) this.#paid += plan.budget.spend(error);
    if (isHeard('onRetry', options)) {
      tell('onRetry', { ...failure, attempt: number, delayMs: verdict.delayMs }, this);
    }
  }

  /** Waits for the next attempt, or until there is to be none; for ever when the caller aborts. */
  pause(): Promise<void> | undefined {
    const { latest, options, clock } = this;
    if (latest === undefined) return undefined;
    const { delayMs = 0, attempt } = latest;
    if (delayMs <= 0) return attempt % BREATH_ATTEMPTS === 0 ? breathe() : undefined;
    const { group } = options;
    const park = group && ((wake: () => void) => group.park(wake, this, latest));
    return new Promise((resolve) => this.hold(wait(resolve, delayMs, clock, park)));
  }

  /** What a call that is over comes to: the last result where that is what was refused, else a throw. */
  finish(): unknown {
    if (this.over === undefined || 'result' in this.over) return this.over?.result;
    throw this.over.error;
  }

  #run(attempt: Attempt | undefined): Attempt | undefined {
    if (this.#abortable !== undefined) this.#abortable.attempt = attempt;
    return attempt;
  }

  #lastFailure(reason: StopReason): Failure {
    if (reason === 'aborted') return { error: this.plan.signal?.reason };
    return this.#refused ?? { error: this.latest?.error };
  }

  /** Why no further attempt may start. */
  #obstacle(made: number, timeoutMs: number): StopReason | undefined {
    if (this.plan.signal?.aborted) return 'aborted';
    // The first always may start.
    if (made === 0) return undefined;
    if (this.options.group?.isDraining) return 'group';
    // A timer may fire late: the wait was to end before the deadline and did not.
    return timeoutMs <= 0 ? 'deadline' : undefined;
  }

  #timeForAttempt(): Pick<Attempt, 'startedAt' | 'timeoutMs'> {
    const { policy, deadlineAt } = this.plan;
    const endsAt = Math.min(this.startedAt + policy.deadlineMs, deadlineAt);
    if (Math.min(policy.attemptTimeoutMs, endsAt) === Infinity) return NO_LIMIT;
    const startedAt = this.clock.now();
    return { startedAt, timeoutMs: Math.min(policy.attemptTimeoutMs, endsAt - startedAt) };
  }

  #end(attempt: number, failure: Failure, { reason, thrown }: Omit<End, 'type'>): undefined {
    const told = thrown === undefined ? failure : { ...failure, thrown };
    const over = { ...told, attempt, reason };
    this.over = over;
    this.#leave(false);
    noteInfo(over.error, this);
    if (isHeard('onStop', this.options)) tell('onStop', over, this);
  }

  #leave(hasSucceeded: boolean): void {
    const { budget, release, signal } = this.plan;
    if (this.#abortable !== undefined && signal?.aborted === false) offAbort(signal, this.#abortable);
    if (hasSucceeded) budget?.record({ type: 'success', paid: this.#paid });
    this.options.group?.leave();
    release?.();
  }
}

const NO_LIMIT = { startedAt: 0, timeoutMs: Infinity };
