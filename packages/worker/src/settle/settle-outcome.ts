import type { Counters, Policy } from '@retry/core';
import { formatDuration, isEligible, isNonRetryable, parseDuration } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { decideBy, settingsOf, withoutErrorRules, withSettings } from '@retry/core/fields';
import { isDeadLetter } from '@retry/core/lifecycle';
import type { AnyTask, RetryRequest } from '../task/task.ts';
import { withDeadLetter, withGroup } from './dead-letter.ts';
import type { Outcome } from './outcome.ts';
import { settleEarly, settleLimit, settleRelease } from './put-back.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { attemptOf, decisionContext, settle } from './settlement.ts';
import { settleStall } from './stall.ts';
import type { FailedAttempt, Verdict } from './verdict.ts';
import {
  delayVerdict,
  EXHAUSTED,
  OUT_OF_TIME,
  paidVerdict,
  settleVerdict,
  UNREADABLE,
  verdictOf,
} from './verdict.ts';

/**
 * Returns the settlement that follows from an attempt's outcome: asks core for the decision and applies it by the
 * lifecycle. Pure.
 *
 * A later attempt is given as a delay rather than as an instant: the broker adds it to its own clock, so that a slow network
 * makes no retry early.
 */
export function settleOutcome(
  task: AnyTask,
  run: Run<'started'>,
  outcome: Outcome,
  context: SettleContext,
): Settled {
  const settled = settledBy(task, run, outcome, context);
  if (!isDeadLetter(settled.settlement.next.state)) return settled;
  const settlement = withGroup(settled.settlement);
  if (typeof task.deadLetter === 'string') return { ...settled, settlement };
  return { ...settled, settlement: withDeadLetter(task, settlement) };
}

function settledBy(task: AnyTask, run: Run<'started'>, outcome: Outcome, context: SettleContext): Settled {
  const at = context.now;
  switch (outcome.type) {
    case 'completed':
      return { settlement: settle(run, [{ type: 'complete', at }], { result: outcome.result }) };
    case 'cancelled':
      return { settlement: settle(run, [{ type: 'cancel', at }]) };
    case 'released':
      return settleRelease(task, run, outcome, context);
    case 'unreadable':
      return settleVerdict({ task, run, error: outcome.error }, UNREADABLE, context);
    case 'limited':
      return settleLimit(task, run, context);
    case 'early':
      return settleEarly(task, run, at);
    case 'stalled':
      return settleStall(task, run, outcome, context);
    case 'asked':
      return settleRequest(task, run, outcome, context);
    case 'failed':
      return settleFailure(task, run, outcome, context);
  }
}

function settleFailure(
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

function settleRequest(
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
  { maxAttempts }: RetryRequest,
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
function requestVerdict(attempt: FailedAttempt, request: RetryRequest, context: SettleContext): Verdict {
  const { task, run, error } = attempt;
  const { maxAttempts = settingsOf(task.retry).maxAttempts } = request;
  const limited = withSettings(withoutErrorRules(task.retry), { maxAttempts: readCount(maxAttempts) });
  const policy = context.isProbe === true ? withoutLimit(limited) : limited;
  const counters = countersOf(run);
  if (!isEligible(policy, counters)) return EXHAUSTED;
  const chosen = chosenDelay(attempt, request, context);
  if (chosen !== undefined) return paidVerdict(chosen, context);
  // An error that forbids retries is only recorded here: the handler asked for another attempt.
  const failure = { error: isNonRetryable(error) ? undefined : error };
  return verdictOf(decideBy(settingsOf(policy), counters, failure, decisionContext(run, context)));
}

function readCount(count: number | 'Infinity'): number {
  return count === 'Infinity' ? Infinity : count;
}

/** The verdict for the `delay` or `at` that the handler chose; `undefined` when it leaves that to the policy. */
function chosenDelay(
  attempt: FailedAttempt,
  { delay, at }: RetryRequest,
  context: SettleContext,
): Verdict | undefined {
  const chosenMs = parseDuration(delay);
  if (chosenMs !== undefined) return delayVerdict(attempt, chosenMs, context);
  if (at === undefined) return undefined;
  const verdict = delayVerdict(attempt, Math.max(at - context.now, 0), context);
  return verdict.type === 'retry' ? { ...verdict, runAt: at } : verdict;
}

/** A probe is not charged, so the number of attempts does not limit it. */
function withoutLimit(policy: Policy): Policy {
  return withSettings(policy, { maxAttempts: Infinity, retryable: true });
}
