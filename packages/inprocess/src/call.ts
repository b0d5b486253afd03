import type { Clock } from '@retry/core';
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
import type { Failure } from './weigh-failure.ts';
import { weighFailure } from './weigh-failure.ts';

/** After so many attempts without delay the event loop turns, or no timer and no socket would ever be heard. */
const BREATH_ATTEMPTS = 16;

/** One call under retry: what has happened, and what is to happen next. */
export class Call implements CallView, ObservedCall {
  readonly plan: Plan;
  /** Epoch milliseconds; 0 when nobody can ask. */
  readonly startedAt: number;
  /** Attempts that have begun. */
  begun: number;
  latest: Failed | undefined;
  /** Set once retrying has ended in failure. */
  over: StopEvent | undefined;
  /** What the retries cost the budget. */
  #paid = 0;
  #id: string | undefined;
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

  /** Notes which attempt an abort would have to tell. */
  note(_attempt: Attempt | undefined): void {}

  hold(_cancel: () => void): void {}

  /** Begins the next attempt; the call is over where none may start. `undefined` when nobody asks the attempt anything. */
  begin(): Attempt | undefined {
    if (this.over !== undefined) return undefined;
    const { begun, latest, options } = this;
    const { startedAt, timeoutMs } = timeForAttempt(this);
    const reason = findObstacle(this, timeoutMs);
    if (reason !== undefined) return this.end({ ...lastFailure(this, reason), attempt: begun, reason });

    const attempt = begun + 1;
    if (isHeard('onAttempt', options)) tell('onAttempt', { attempt, id: this.id }, this);
    this.begun = attempt;
    const layers = installed.nesting ?? this.plan.layers;
    if (layers.tell === undefined && timeoutMs === Infinity) return undefined;
    const start = {
      call: this,
      attempt,
      previousError: latest?.error,
      timeoutMs,
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

  /** Ends it in failure. */
  end(over: StopEvent): undefined {
    this.over = over;
    this.leave();
    noteInfo(over.error, this);
    if (isHeard('onStop', this.options)) tell('onStop', over, this);
  }

  /** Takes it off whatever knew that it was under way. */
  leave(): void {
    this.options.group?.leave();
    this.plan.release?.();
  }
}

/** Why no further attempt may start. */
function findObstacle({ plan, begun, options }: Call, timeoutMs: number): StopReason | undefined {
  if (plan.signal?.aborted) return 'aborted';
  // The first always may start.
  if (begun === 0) return undefined;
  if (options.group?.isDraining) return 'group';
  // A timer may fire late: the wait was to end before the deadline and did not.
  return timeoutMs <= 0 ? 'deadline' : undefined;
}

function lastFailure({ plan, refused, latest }: Call, reason: StopReason): Failure {
  return reason === 'aborted' ? { error: plan.signal?.reason } : (refused ?? { error: latest?.error });
}

function timeForAttempt(call: Call): Pick<Attempt, 'startedAt' | 'timeoutMs'> {
  const { policy, deadlineAt } = call.plan;
  const endsAt = Math.min(call.startedAt + policy.deadlineMs, deadlineAt);
  if (Math.min(policy.attemptTimeoutMs, endsAt) === Infinity) return NO_LIMIT;
  const startedAt = call.clock.now();
  return { startedAt, timeoutMs: Math.max(Math.min(policy.attemptTimeoutMs, endsAt - startedAt), 0) };
}

const NO_LIMIT = { startedAt: 0, timeoutMs: Infinity };
