import type { Counters, Decision, FailReason, Policy } from '@retry/core';
import { formatDuration, isEligible, isNonRetryable, MAX_INSTANT_AT } from '@retry/core';
import type { Run } from '@retry/core/broker';
import type { AttemptReason } from '@retry/core/failures';
import { decideBy, settingsOf, withoutErrorRules, withSettings } from '@retry/core/fields';
import type { RunEvent } from '@retry/core/lifecycle';
import { isApart } from '../engine/plan/retry-share.ts';
import type { AnyTask } from '../task/task.ts';
import type { AskedRetry, Outcome } from './outcome.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { attemptOf, decisionContext, instantIn, settle, thrownIn, totalStartAt } from './settlement.ts';
import { failedRun } from './stored-error.ts';

/** What follows a failed attempt, and why. */
type Verdict =
  | {
      readonly type: 'fail';
      readonly reason: FailReason | 'unreadable' | 'releases-exhausted';
      /** What a function of the policy threw, for which the retrying ends. */
      readonly thrown?: unknown;
    }
  /** `runAt` is present when the handler chose an instant, which is then kept exactly. */
  | {
      readonly type: 'retry';
      readonly delayMs: number;
      readonly runAt?: number | undefined;
      /** The delay is a server's. */
      readonly askedBy?: 'server';
    };

/** What becomes of a run whose payload cannot be read. */
export const UNREADABLE: Verdict = { type: 'fail', reason: 'unreadable' };
const OUT_OF_TIME: Verdict = { type: 'fail', reason: 'total-timeout' };
const OVER_BUDGET: Verdict = { type: 'fail', reason: 'budget' };
const EXHAUSTED: Verdict = { type: 'fail', reason: 'exhausted' };

/** An attempt that failed, and what it failed with. */
interface FailedAttempt {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  readonly error: unknown;
  /** The handler asked for another attempt. @default false */
  readonly isAsked?: boolean;
}

/** Settles an attempt that has thrown, or whose time was over, by core's decision. */
export function settleFailure(
  task: AnyTask,
  run: Run<'started'>,
  { error, isTimeout, isOutOfTime = false }: Extract<Outcome, { type: 'failed' }>,
  context: SettleContext,
): Settled {
  if (isOutOfTime) return settleVerdict({ task, run, error }, OUT_OF_TIME, context);
  const policy = context.isProbe === true ? withoutLimit(task.retry) : task.retry;
  // Not `decide`: to check its arguments it would ask the budget, which counts how often it is asked.
  const decision = decideBy(
    settingsOf(policy),
    countersOf(run),
    { error, timedOut: isTimeout },
    decisionContext(run, context),
  );
  return settleVerdict({ task, run, error }, verdictOf(decision), context);
}

/** Settles an attempt whose handler asked for another one. */
export function settleRequest(
  task: AnyTask,
  run: Run<'started'>,
  { request, error }: Extract<Outcome, { type: 'asked' }>,
  context: SettleContext,
): Settled {
  const attempt: FailedAttempt = { task, run, error, isAsked: true };
  const verdict = requestVerdict(attempt, request, context);
  if (verdict.type === 'retry' || request.error !== undefined)
    return { reason: 'asked', ...settleVerdict(attempt, verdict, context) };
  const refusal = new Error(`the handler asked for a retry, but ${refusalOf(attempt, request, verdict)}`);
  return { ...settleVerdict({ ...attempt, error: refusal }, verdict, context), error: refusal };
}

/** Why a handler's request for another attempt ends the run, for people. */
function refusalOf(
  { task, run }: FailedAttempt,
  { maxAttempts }: AskedRetry,
  { reason }: Extract<Verdict, { type: 'fail' }>,
): string {
  const { retryable, totalTimeoutMs, ...settings } = settingsOf(task.retry);
  if (!retryable) return 'its policy is retryable: false';
  if (reason === 'total-timeout')
    return `that would be after its totalTimeout of ${formatDuration(totalTimeoutMs)}`;
  if (reason === 'budget') return 'its retry budget is empty';
  if (reason !== 'exhausted') return `its policy ends it (${reason})`;
  return `attempt ${attemptOf(run)} of ${maxAttempts ?? settings.maxAttempts} was the last`;
}

/** The counters after the attempt that has just failed. Not a spread of the run: it has thirty keys. */
function countersOf({ failures, stalls, carried, previousDelayMs }: Run<'started'>): Counters {
  return { failures: failures + 1, stalls, carried, previousDelayMs };
}

/** A handler's own request overrides matchers, `retryIf` and the computed delay; not the attempts, the total time and the budget. */
function requestVerdict(attempt: FailedAttempt, request: AskedRetry, context: SettleContext): Verdict {
  const { task, run, error } = attempt;
  const { maxAttempts = settingsOf(task.retry).maxAttempts } = request;
  const limited = withSettings(withoutErrorRules(task.retry), { maxAttempts });
  const policy = context.isProbe === true ? withoutLimit(limited) : limited;
  const counters = countersOf(run);
  if (!isEligible(policy, counters)) return EXHAUSTED;
  const chosen = chosenDelay(attempt, request, context);
  if (chosen !== undefined) return paidVerdict(chosen, context);
  // An error that forbids retries is only recorded here: the handler asked for another attempt.
  const failure = { error: isNonRetryable(error) ? undefined : error };
  return verdictOf(decideBy(settingsOf(policy), counters, failure, decisionContext(run, context)));
}

/** The verdict for the delay or the instant that the handler chose; `undefined` when it leaves that to the policy. */
function chosenDelay(
  attempt: FailedAttempt,
  { delayMs, at }: AskedRetry,
  context: SettleContext,
): Verdict | undefined {
  if (delayMs !== undefined) return delayVerdict(attempt, delayMs, context);
  if (at === undefined) return undefined;
  const verdict = delayVerdict(attempt, Math.max(at - context.now, 0), context);
  return verdict.type === 'retry' ? { ...verdict, runAt: at } : verdict;
}

/** A probe is not charged, so the number of attempts does not limit it. */
function withoutLimit(policy: Policy): Policy {
  return withSettings(policy, { maxAttempts: Infinity, retryable: true });
}

/** Returns what follows by core's decision. */
function verdictOf(decision: Decision): Verdict {
  if (decision.type === 'fail') return decision;
  const { type, delayMs, askedBy } = decision; // its `runAt` is not one that the handler chose
  return { type, delayMs, ...(askedBy && { askedBy }) };
}

/** Returns what follows a delay that the handler chose: the end, when the total time is over by then. */
export function delayVerdict(
  { task, run }: Omit<FailedAttempt, 'error'>,
  delayMs: number,
  { now, waitedMs }: Pick<SettleContext, 'now' | 'waitedMs'>,
): Verdict {
  const { totalTimeoutMs } = settingsOf(task.retry);
  if (now + delayMs >= totalStartAt(run, now, waitedMs) + totalTimeoutMs) return OUT_OF_TIME;
  return { type: 'retry', delayMs: Math.min(delayMs, Math.max(MAX_INSTANT_AT - now, 0)) };
}

/** Returns the verdict, if the budget pays for it. */
function paidVerdict(verdict: Verdict, { budget }: Pick<SettleContext, 'budget'>): Verdict {
  if (budget === undefined || verdict.type === 'fail') return verdict;
  try {
    return budget.allowsRetry ? verdict : OVER_BUDGET;
  } catch (thrown) {
    return { type: 'fail', reason: 'stopped', thrown };
  }
}

/** Returns the settlement of a failed attempt: charged, unless it was a probe of the circuit breaker that may be repeated. */
export function settleVerdict(attempt: FailedAttempt, verdict: Verdict, context: SettleContext): Settled {
  if (verdict.type === 'fail') return settleEnd(attempt, verdict, context);
  const { now: at, isProbe } = context;
  const { task, run, error } = attempt;
  const { runAt, askedBy } = verdict;
  const delayMs = retryDelayMs(task, verdict.delayMs);
  if (isProbe === true) return { ...releaseFor(run, delayMs, at), releasedBecause: PROBE_FAILED };
  const failure = { error, isFollowed: delayMs === 0, reason: recordedReason(attempt, verdict) };
  const next = failedRun(run, failure, context);
  next.previousDelayMs = delayMs;
  if (runAt !== undefined && (runAt > at || !isApart(task))) {
    const event: RunEvent = { type: 'retry', at, runAt: Math.ceil(runAt) };
    return { settlement: settle(next, [event]), delayMs };
  }
  const event: RunEvent = { type: 'retry', at, runAt: instantIn(delayMs, at) };
  return { settlement: settle(next, [event], { delayMs }), delayMs, ...(askedBy && { askedBy }) };
}

/** The shortest wait in the schedule, in ms. */
const APART_MS = 1;

/** The delay of a retry: those that start apart wait in the schedule, where claims find them, and not in the lane. */
export function retryDelayMs(task: AnyTask, delayMs: number): number {
  return isApart(task) ? Math.max(delayMs, APART_MS) : delayMs;
}

const PROBE_FAILED = 'a probe of the circuit breaker failed';

function settleEnd(
  attempt: FailedAttempt,
  verdict: Extract<Verdict, { type: 'fail' }>,
  context: SettleContext,
): Settled {
  const { task, run, error } = attempt;
  const failure = { error, isFollowed: false, reason: recordedReason(attempt, verdict) };
  const end: RunEvent = { type: 'fail', at: context.now };
  const settlement = settle(failedRun(run, failure, context), [end], { deadLetter: task.deadLetter });
  return { settlement, reason: verdict.reason, ...thrownIn(verdict) };
}

/** Returns the reason that is stored. That of a handler's request is the request: by it a replay knows which rules were asked. */
function recordedReason({ isAsked = false }: FailedAttempt, verdict: Verdict): AttemptReason {
  if (isAsked) return 'asked';
  if (verdict.type === 'retry') return 'retried';
  const { reason } = verdict;
  return reason === 'unreadable' || reason === 'releases-exhausted' ? 'ended' : reason;
}

/** Returns the settlement of a run that is given back, uncharged, to wait for this long. */
export function releaseFor(run: Run<'started'>, delayMs: number, at: number): Settled {
  const event: RunEvent = { type: 'release', at, runAt: instantIn(delayMs, at) };
  return { settlement: settle(run, [event], { delayMs }), delayMs };
}
