import type { Counters, Decision, DecisionContext, Failure as JudgedFailure, ServerDelay } from '@retry/core';
import { RetryError, TotalTimeoutError } from '@retry/core';
import type { RetryBudget } from '@retry/core/budget';
import type { PolicySettings } from '@retry/core/fields';
import {
  CountedFailure,
  decideBy,
  isYes,
  policyOf,
  settingsOf,
  withoutErrorRules,
  withoutMatchers,
} from '@retry/core/fields';
import { reasonOf } from '../time/abort-hub.ts';
import type { Ending, Failure, GiveUpReason } from './events.ts';
import { report } from './hooks.ts';
import type { RetryOptions } from './options.ts';
import type { Attempt, Call, Plan } from './plan.ts';
import { RefusedResultError } from './refused-result.ts';
import { totalTimeoutOf } from './timeouts.ts';

/** The end of the retrying, and why. */
interface Stop {
  readonly type: 'fail';
  readonly reason: GiveUpReason;
  readonly thrown?: unknown;
}

/** When an attempt failed, and the budget that counts it. */
interface Failed {
  readonly failedAt: number;
  readonly budget: CountedFailure | undefined;
}

/** What a failure asks of a budget. */
type Asked = Pick<RetryBudget, 'allowsRetry' | 'record'>;

/** What follows a failure: a retry after a delay, or the end. */
export type NextStep = Retry | Stop;

interface Retry extends Extract<Decision, { readonly type: 'retry' }> {
  /** When its budget can say whether it pays for the retry; absent: it does. */
  readonly budgetAnswer?: Promise<void> | undefined;
}

/**
 * Calls `retryIfResult`; returns `undefined` when the result is accepted. What it throws is reported. A returned promise counts as
 * a throw: it is truthy, so that every result would be retried.
 */
export function refusalOf(
  { retryIfResult, reportError }: RetryOptions<never>,
  result: unknown,
  attempt: number,
): Failure | undefined {
  if (retryIfResult === undefined) return undefined;
  try {
    const answer: unknown = retryIfResult(result as never, { attempt }); // its type was checked with the options
    return isYes(answer, 'retryIfResult must not return a promise. Await in the function.')
      ? { error: new RefusedResultError(attempt, result), result }
      : undefined;
  } catch (thrown) {
    report(thrown, reportError);
    return { error: new RefusedResultError(attempt, result), result, thrown };
  }
}

/**
 * Decides what follows the failure of the running attempt, and reports it to the circuit breaker. If a
 * predicate, strategy, budget or clock of the user throws, that is reported, and the retrying ends.
 */
export function decideNext(call: Call, failure: Failure, failedAt: number): NextStep {
  const { reportError } = call.options;
  try {
    const next = decideInOrder(call, failure, failedAt);
    if ('thrown' in next) report(next.thrown, reportError);
    const reason = next.type === 'fail' ? next.reason : undefined;
    const isClosed = call.permit?.fail(reason) ?? true;
    return isClosed || reason !== undefined ? next : stop('circuit-open');
  } catch (thrown) {
    report(thrown, reportError);
    return { ...stop('stopped'), thrown };
  }
}

/** The function's own directive comes first, then the total timeout, the policy, and the group's limit. */
function decideInOrder(call: Call, failure: Failure, failedAt: number): NextStep {
  const { budget, options } = call.plan;
  const { running } = call;
  let budgetAnswer: Promise<void> | undefined;
  if (running?.directive?.type === 'stop' || 'thrown' in failure) return stop('stopped');
  const asked: Asked | undefined = budget && {
    record: (event) => budget.record(event),
    // Of a budget that waits for an answer nothing is known yet: the retry is decided on, and the call waits for the answer.
    allowsRetry: (error) => {
      budgetAnswer = budget.ready?.();
      return budgetAnswer !== undefined || budget.allowsRetry(error);
    },
  };
  const counted = asked && new CountedFailure(asked, pricedOf(call.plan, failure));
  const isOutOfTime = running?.isTimedOut === true && running.isTotal;
  const decision = isOutOfTime
    ? stop('total-timeout')
    : decideByPolicy(call, failure, { failedAt, budget: counted });
  if (decision.type === 'retry' || !SAYS_NOTHING.includes(decision.reason)) counted?.count();
  if (decision.type === 'fail') return decision;
  if (options.group?.hasRoom === false) return stop('group');
  return budgetAnswer === undefined ? decision : { ...decision, budgetAnswer };
}

/** Returns what a budget is asked about: the error, and of `fetch` the response, as `retryIf` is. */
export function pricedOf({ isResultGated }: Plan, failure: Failure): unknown {
  return isResultGated === true && 'result' in failure ? failure.result : failure.error;
}

/** Ends for which a failure says nothing about the dependency: neither breakers nor budgets count it. */
const SAYS_NOTHING: readonly GiveUpReason[] = ['unexpected', 'stopped'];

function stop(reason: GiveUpReason): Stop {
  return { type: 'fail', reason };
}

function decideByPolicy(call: Call, failure: Failure, { failedAt, budget }: Failed): Decision {
  const { plan, startedAt, attempts, latest, running } = call;
  const { policy, deadlineAt, options } = plan;
  const isRefused = 'result' in failure;
  // One object for all that a decision reads, because every failure makes it.
  const facts: Counters & JudgedFailure & DecisionContext = {
    error: isRefused ? failure.result : failure.error,
    timedOut: running?.isTimedOut === true,
    serverDelay: requestedDelay(running),
    failures: attempts,
    previousDelayMs: latest?.delayMs,
    now: failedAt,
    wallNow: call.clock.wallNow,
    random: options.random ?? Math.random,
    startedAt: Number.isNaN(startedAt) ? failedAt : startedAt,
    attemptMs: call.attemptMs(failedAt),
    deadlineAt,
    budget,
  };
  return decideBy(isRefused ? rulesOfResults(plan) : policy, facts, facts, facts);
}

/** Error rules do not apply to a result, which `retryIfResult` has judged. */
function rulesOfResults({ policy, isResultGated }: Plan): PolicySettings {
  const without = isResultGated === true ? withoutMatchers : withoutErrorRules;
  return settingsOf(without(policyOf(policy)));
}

/** The delay of `ctx.retryAfter`; what the error or the `Response` says is read by the decision itself. */
function requestedDelay(attempt: Attempt | undefined): ServerDelay | undefined {
  if (attempt?.directive?.type !== 'retry-after') return undefined;
  return { type: 'delay', delayMs: attempt.directive.delayMs };
}

/** Returns why no further attempt may start; `undefined` if one may. */
export function obstacleOf({ plan, attempts, options }: Call, leftMs: number): GiveUpReason | undefined {
  if (plan.signal?.aborted) return 'aborted';
  // The first attempt may always start, unless it was delayed.
  if (attempts === 0 && !(plan.policy.initialDelayMs > 0)) return undefined;
  if (options.group?.isDraining) return 'group';
  // A timer may fire late, after the total timeout.
  return leftMs <= 0 ? 'total-timeout' : undefined;
}

/** Returns the ending of a call whose next attempt may not start: with the failure of the attempt before. */
export function endingBy(reason: GiveUpReason, call: Call): Ending {
  return { ...lastFailure(reason, call), attempt: call.attempts, reason };
}

function lastFailure(reason: GiveUpReason, call: Call): Failure {
  const { plan, refused, latest } = call;
  if (reason === 'aborted') return { error: reasonOf(plan.signal) };
  if (refused !== undefined) return refused;
  if (latest !== undefined) return { error: latest.error };
  // The initial delay ended the call: there is no error of the user's.
  if (reason !== 'group') return { error: new TotalTimeoutError(totalTimeoutOf(call), 0) };
  return {
    error: call.options.group?.isDraining
      ? new RetryError('SHUTDOWN', 'the group was drained before the first attempt')
      : new RetryError('GROUP_FULL', 'the group has no room for a call that waits for its first attempt'),
  };
}
