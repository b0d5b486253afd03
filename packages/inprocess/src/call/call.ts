import type { Clock } from '@retry/core';
import type { AbortListener } from '../time/abort-hub.ts';
import { offAbort, onAbort } from '../time/abort-hub.ts';
import { wait, yieldToEventLoop } from '../time/clock.ts';
import { decideNext, endingBy, obstacleOf, refusalOf } from './decide.ts';
import type { CallEvent, Ending, Failure, RetryEvent } from './events.ts';
import type { FailedAttempt, FailureList } from './history.ts';
import { recordEnding, shorten } from './history.ts';
import { eventOf, notify, observer } from './hooks.ts';
import type { RetryOptions } from './options.ts';
import type { Attempt, Call, Plan } from './plan.ts';
import { attemptsOf, nested } from './plan.ts';
import { limitOf, runWithin, timeLeft } from './timeouts.ts';

/** A loop without delays yields to the event loop after this many attempts; otherwise timers and sockets would starve. */
const YIELD_EVERY_ATTEMPTS = 16;

const NO_PARAMETERS: readonly unknown[] = [];

/** A call without a signal. */
export class PlainCall implements Call {
  readonly plan: Plan;
  readonly startedAt: number;
  attempts: number;
  latest: FailureList | undefined;
  refused: Failure | undefined;
  ending: Ending | undefined;
  parameters: readonly unknown[] = NO_PARAMETERS;
  /** What its retries have cost the budget. */
  #paid = 0;
  #id: string | undefined;
  /** When the running attempt started; `NaN` when none runs, or nothing reads it. */
  #attemptStartedAt = Number.NaN;
  #latestAttemptMs = 0;

  constructor(plan: Plan, attempts: number) {
    this.plan = plan;
    this.attempts = attempts;
    this.startedAt = this.isTimed && attempts === 0 ? plan.clock.now() : Number.NaN;
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

  get isTimed(): boolean {
    return this.plan.isTimed || observer.observe !== undefined;
  }

  get elapsedMs(): number {
    return since(this.startedAt, this.clock);
  }

  get attemptMs(): number {
    return Number.isNaN(this.#attemptStartedAt)
      ? this.#latestAttemptMs
      : since(this.#attemptStartedAt, this.clock);
  }

  keepCancel(_cancel: () => void): void {}

  /** Keeps the running attempt, whose signal an abort of the caller aborts. */
  protected keepAttempt(_attempt: Attempt | undefined): void {}

  /** Removes the call from its group and its signals once it has ended. */
  protected release(): void {
    this.options.group?.leave();
    this.plan.release?.();
  }

  waitInitialDelay(): Promise<void> | undefined {
    const { plan, clock } = this;
    const delayMs = plan.policy.initialDelayMs;
    if (!(delayMs > 0) || plan.signal?.aborted) return undefined;
    const now = clock.now();
    if (delayMs >= timeLeft(this, now)) return this.end(endingBy('total-timeout', this));
    return this.#wait({ attempt: 0, error: undefined, failedAt: now, delayMs });
  }

  startAttempt(): Attempt | undefined {
    if (this.ending !== undefined) return undefined;
    const { latest } = this;
    const { startedAt, timeoutMs, totalMs } = limitOf(this);
    const reason = obstacleOf(this, timeoutMs);
    if (reason !== undefined) return this.end(endingBy(reason, this));

    const attempt = this.attempts + 1;
    notify('onAttempt', this, { attempt });
    this.attempts = attempt;
    this.#attemptStartedAt = startedAt;
    const layers = nested.nesting ?? this.plan.layers;
    if (layers.withContext === undefined && timeoutMs === Infinity) return undefined;
    const start = {
      call: this,
      attempt,
      previousError: latest?.error,
      timeoutMs,
      totalMs,
      startedAt,
      isTimedOut: false,
      directive: undefined,
    };
    const started = layers.withContext?.(start) ?? start;
    this.keepAttempt(started);
    return started;
  }

  accepts(result: unknown, attempt: Attempt | undefined): boolean {
    if (this.ending !== undefined) return true;
    const refused = refusalOf(this.options, result, this.attempts);
    if (refused !== undefined) this.fail(refused, attempt);
    else if (this.ending === undefined) {
      this.release();
      this.plan.budget?.record({ type: 'success', paid: this.#paid });
    }
    return refused === undefined;
  }

  fail(failure: Failure, attempt: Attempt | undefined): void {
    if (this.ending !== undefined) return;
    const { attempts: number, plan } = this;
    const failedAt = this.clock.now();
    this.#endAttempt(failedAt);
    const next = decideNext(this, { failure, attempt, failedAt });
    if (this.ending !== undefined) return; // a function that the decision called has aborted
    this.keepAttempt(undefined);
    const delayMs = next.type === 'retry' ? next.delayMs : undefined;
    const { error } = attempt?.directive?.type === 'stop' ? attempt.directive : failure;
    this.latest = shorten({ attempt: number, error, failedAt, delayMs, previous: this.latest });
    if (next.type === 'fail') {
      const { reason, thrown } = next;
      const last = thrown === undefined ? failure : { ...failure, thrown };
      return void this.end({ ...last, error, attempt: number, reason });
    }

    this.refused = 'result' in failure ? failure : undefined;
    if (plan.budget !== undefined) this.#paid += plan.budget.spend(error);
    notify('onRetry', this, this.#retryDetails(next.delayMs));
  }

  waitForRetry(): Promise<void> | undefined {
    const { latest } = this;
    if (latest === undefined) return undefined;
    const { delayMs = 0, attempt } = latest;
    if (delayMs <= 0) return attempt % YIELD_EVERY_ATTEMPTS === 0 ? yieldToEventLoop() : undefined;
    return this.#wait({ ...latest, delayMs });
  }

  async runBeforeRetry(): Promise<void> {
    const { latest, clock, options } = this;
    if (this.ending !== undefined || latest === undefined) return;
    const timeoutMs = timeLeft(this, clock.now());
    if (obstacleOf(this, timeoutMs) !== undefined) return; // startAttempt() ends the call
    const onTimeout = ({ resolve }: { readonly resolve: (value: unknown) => void }): void =>
      resolve(this.end(endingBy('total-timeout', this)));
    const run = (): unknown => options.beforeRetry?.(eventOf(this, this.#retryDetails(latest.delayMs)));
    try {
      await (timeoutMs === Infinity ? run() : runWithin(run, { timeoutMs, onTimeout }, this));
    } catch (thrown) {
      if (this.ending === undefined) this.end({ ...endingBy('stopped', this), thrown });
    }
  }

  finish(): unknown {
    if (this.ending === undefined || 'result' in this.ending) return this.ending?.result;
    throw this.ending.error;
  }

  /** Ends the call in failure. */
  protected end(ending: Ending): undefined {
    this.ending = ending;
    this.release();
    recordEnding(ending.error, this);
    notify('onGiveUp', this, ending);
  }

  #wait(failed: FailedAttempt & { readonly delayMs: number }): Promise<void> {
    const { options, clock } = this;
    const { group } = options;
    const park = group && ((wake: () => void) => group.park(wake, this, failed));
    return new Promise((resolve) => this.keepCancel(wait(resolve, failed.delayMs, clock, park)));
  }

  #retryDetails(delayMs = 0): Omit<RetryEvent, keyof CallEvent> {
    const { refused, latest, attempts: attempt } = this;
    return { ...(refused ?? { error: latest?.error }), attempt, delayMs };
  }

  #endAttempt(endedAt: number): void {
    // A call that was created after its first failure has no start of that attempt.
    this.#latestAttemptMs = Math.max(endedAt - this.#attemptStartedAt, 0) || 0;
    this.#attemptStartedAt = Number.NaN;
  }
}

/** A call with a signal. It is its own abort listener, because many thousands may wait at the same time. */
export class AbortableCall extends PlainCall implements AbortListener {
  #attempt: Attempt | undefined;
  /** Clears the latest timer. */
  #cancel: (() => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  watchSignal(reject: (reason: unknown) => void): void {
    this.#reject = reject;
    if (this.plan.signal !== undefined) onAbort(this.plan.signal, this);
  }

  onAborted(): void {
    const error: unknown = this.plan.signal?.reason;
    this.#reject?.(error);
    this.#cancel?.();
    this.#attempt?.interrupt?.(error);
    this.end({ error, attempt: this.attempts, reason: 'aborted' });
  }

  override keepCancel(cancel: () => void): void {
    this.#cancel = cancel;
  }

  protected override keepAttempt(attempt: Attempt | undefined): void {
    this.#attempt = attempt;
  }

  protected override release(): void {
    const { signal } = this.plan;
    if (signal?.aborted === false) offAbort(signal, this);
    super.release();
  }
}

/** Creates an id that no other call has; from the option `random` if given, so that tests can predict it. */
function createId(random?: () => number): string {
  const { crypto } = globalThis as { readonly crypto?: { readonly randomUUID?: () => string } }; // browsers: only over https
  if (random === undefined && crypto?.randomUUID !== undefined) return crypto.randomUUID();
  const draw = random ?? Math.random;
  return Array.from({ length: 32 }, () => Math.floor(draw() * 16).toString(16)).join('');
}

/** Returns the milliseconds since an instant, `≥ 0`; 0 for `NaN`. */
function since(at: number, clock: Clock): number {
  return Number.isNaN(at) ? 0 : Math.max(clock.now() - at, 0);
}
