import { decideBy } from '../../decision/decide.ts';
import type { Decision, DecisionContext, Failure } from '../../decision/decision.ts';
import { AttemptTimeoutError } from '../../markers.ts';
import type { Policy } from '../../policy/policy.ts';
import { settingsOf, withSettings } from '../../policy/settings.ts';
import type { EventQueue } from './event-queue.ts';
import type { Guard } from './guard.ts';
import { outcomeOf } from './guard.ts';
import type { Answer, Send } from './server.ts';

/** What all calls of one layer of one process have in common. */
export interface Caller {
  readonly policy: Policy;
  /** What each attempt does: it asks the next layer, or the server. */
  readonly send: Send;
  readonly guard: Guard;
  readonly queue: EventQueue;
  readonly random: () => number;
  readonly error: unknown;
  /** The longest time of one attempt; the shorter of this and the policy's applies. */
  readonly attemptTimeoutMs: number;
}

/** A call under way. Changed as it goes on. */
interface Call {
  readonly caller: Caller;
  readonly policy: Policy;
  readonly startedAt: number;
  readonly answer: Answer;
  /** Attempts that were made. */
  attempts: number;
  /** Whether the latest attempt is under way: its answer, or its timeout, whichever comes first, counts. */
  isRunning: boolean;
  previousDelayMs: number | undefined;
  /** What the budget was paid for the latest retry. */
  paid: number | undefined;
  /** What the circuit breaker gave to the latest attempt. */
  ticket: number;
}

/**
 * Makes one call under a policy, in virtual time, as `withRetry` would: budget, circuit breaker, attempt, `decide`, wait.
 *
 * @param answer - called once, when the call ends
 */
export function startCall(caller: Caller, answer: Answer): void {
  const { queue } = caller;
  const call: Call = {
    caller,
    policy: policyOfCall(caller.policy),
    startedAt: queue.now(),
    answer,
    attempts: 0,
    isRunning: false,
    previousDelayMs: undefined,
    paid: undefined,
    ticket: 0,
  };
  const { initialDelayMs } = settingsOf(caller.policy);
  if (initialDelayMs > 0) queue.after(initialDelayMs, () => startAttempt(call));
  else startAttempt(call);
}

/** Returns the policy with a strategy of the call's own, if the strategy has state. */
function policyOfCall(policy: Policy): Policy {
  const { backoff } = settingsOf(policy);
  if (backoff.type !== 'custom' || backoff.create === undefined) return policy;
  return withSettings(policy, { backoff: { ...backoff, next: backoff.create() } });
}

function startAttempt(call: Call): void {
  const { guard, queue, send } = call.caller;
  const leftMs = timeLeft(call);
  const ticket = leftMs > 0 ? guard.permit() : undefined;
  if (ticket === undefined) {
    queue.after(0, () => call.answer(false)); // at once, a layer above that retries without a delay would recurse
    return;
  }
  call.ticket = ticket;
  call.attempts += 1;
  call.isRunning = true;
  const attempt = call.attempts;
  if (attempt === 1) guard.record({ type: 'request' });
  const startedAt = queue.now();
  const isLatest = (): boolean => call.isRunning && call.attempts === attempt;
  const timeout = timeoutOf(call, leftMs);
  if (timeout.afterMs < Infinity) {
    queue.after(timeout.afterMs, () => {
      if (isLatest()) fail(call, { startedAt, timedOut: timeout.of });
    });
  }
  send((isSuccess) => {
    if (isLatest()) settle(call, isSuccess, startedAt);
  });
}

/** Returns the shorter one of attempt timeout and total timeout; of two that are equal, the total one ends the call. */
function timeoutOf({ policy, caller }: Call, leftMs: number): { afterMs: number; of: 'attempt' | 'call' } {
  const timeoutMs = Math.min(settingsOf(policy).attemptTimeoutMs, caller.attemptTimeoutMs);
  return leftMs <= timeoutMs ? { afterMs: leftMs, of: 'call' } : { afterMs: timeoutMs, of: 'attempt' };
}

function timeLeft({ policy, caller, startedAt }: Call): number {
  return startedAt + settingsOf(policy).totalTimeoutMs - caller.queue.now();
}

function settle(call: Call, isSuccess: boolean, startedAt: number): void {
  if (!isSuccess) {
    fail(call, { startedAt });
    return;
  }
  const { guard } = call.caller;
  call.isRunning = false;
  guard.report('success', call.ticket);
  guard.record({ type: 'success', paid: call.paid });
  call.answer(true);
}

/** How an attempt failed; without `timedOut` the server said so. */
interface FailedAttempt {
  readonly startedAt: number;
  readonly timedOut?: 'attempt' | 'call';
}

function fail(call: Call, failed: FailedAttempt): void {
  const { guard, queue } = call.caller;
  call.isRunning = false;
  const kind = failed.timedOut === undefined ? 'default' : 'timeout';
  const { decision, isUnanswered } = failed.timedOut === 'call' ? TIMED_OUT : decideNext(call, failed, kind);
  const outcome = outcomeOf(reasonOf(decision));
  if (outcome === 'failure') guard.record({ type: 'failure' });
  const isClosed = guard.report(outcome, call.ticket);
  if (decision.type === 'fail' || !isClosed) {
    call.answer(false);
    return;
  }
  call.previousDelayMs = decision.delayMs;
  const { delayMs } = decision;
  if (!isUnanswered) {
    beginRetry(call, kind, delayMs);
    return;
  }
  const failedAt = queue.now();
  guard.onAnswer(() => {
    const isPaid = timeLeft(call) > 0 && guard.allowsRetry(kind);
    if (isPaid) beginRetry(call, kind, failedAt + delayMs - queue.now());
    else call.answer(false);
  });
}

/** Pays for a retry, and waits for what is left of its delay. */
function beginRetry(call: Call, kind: string, leftMs: number): void {
  const { guard, queue } = call.caller;
  call.paid = guard.record({ type: 'retry', kind });
  if (leftMs > 0) queue.after(leftMs, () => startAttempt(call));
  else startAttempt(call);
}

/** What follows a failure. */
interface NextStep {
  readonly decision: Decision;
  /** Whether the retry was decided on before its budget could say whether it pays for it. */
  readonly isUnanswered: boolean;
}

const TIMED_OUT: NextStep = { decision: { type: 'fail', reason: 'total-timeout' }, isUnanswered: false };

/** One for all: what an error of its own would say about the attempt no rule of a policy reads. */
const TIMEOUT: unknown = /* @__PURE__ */ new AttemptTimeoutError(0, 1);

/** No simulated server asks for a delay. */
const NO_DELAY: Failure['serverDelay'] = { type: 'absent' };

function decideNext(call: Call, { startedAt, timedOut }: FailedAttempt, kind: string): NextStep {
  const { guard, queue, random, error } = call.caller;
  const now = queue.now();
  const failure: Failure = {
    error: timedOut === undefined ? error : TIMEOUT,
    timedOut: timedOut !== undefined,
    serverDelay: NO_DELAY,
  };
  const counters = { failures: call.attempts, previousDelayMs: call.previousDelayMs };
  let isUnanswered = false;
  const budget = {
    get allowsRetry(): boolean {
      isUnanswered = guard.isUnanswered();
      return isUnanswered || guard.allowsRetry(kind);
    },
  };
  const context: DecisionContext = {
    now,
    random,
    startedAt: call.startedAt,
    attemptMs: now - startedAt,
    budget,
  };
  const decision = decideBy(settingsOf(call.policy), counters, failure, context);
  return { decision, isUnanswered };
}

function reasonOf(decision: Decision): Extract<Decision, { readonly type: 'fail' }>['reason'] | undefined {
  return decision.type === 'fail' ? decision.reason : undefined;
}
