import type { Decision, FailReason, Policy } from '@retry/core';
import { decide, isEligible, isNonRetryable, MAX_INSTANT_AT, parseDuration } from '@retry/core';
import type { Run } from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import type { AnyTask, RetryRequest } from '../task/task.ts';
import { settleEarly, settleLimit, withoutErrorRules } from './limit.ts';
import type { Outcome } from './outcome.ts';
import { totalStartAt } from './run-facts.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { decisionContext, dueAt, settle } from './settlement.ts';
import { settleStall } from './stall.ts';
import { failedRun } from './stored-error.ts';

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
  const at = context.now;
  switch (outcome.type) {
    case 'completed':
      return { settlement: settle(run, [{ type: 'complete', at }], { result: outcome.result }) };
    case 'cancelled':
      return { settlement: settle(run, [{ type: 'cancel', at }]) };
    case 'released':
      return { settlement: settle(run, [{ type: 'release', at }]) };
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

/** What follows a failed attempt, and why. */
type Verdict =
  | { readonly type: 'fail'; readonly reason: FailReason | 'unreadable' }
  /** `runAt` is present when the handler chose an instant, which is then kept exactly. */
  | { readonly type: 'retry'; readonly delayMs: number; readonly runAt?: number | undefined };

const UNREADABLE: Verdict = { type: 'fail', reason: 'unreadable' };
const OUT_OF_TIME: Verdict = { type: 'fail', reason: 'total-timeout' };
const EXHAUSTED: Verdict = { type: 'fail', reason: 'exhausted' };

interface FailedAttempt {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  readonly error: unknown;
}

function settleFailure(
  task: AnyTask,
  run: Run<'started'>,
  { error, isTimeout, isOutOfTime = false }: Extract<Outcome, { type: 'failed' }>,
  context: SettleContext,
): Settled {
  if (isOutOfTime) return settleVerdict({ task, run, error }, OUT_OF_TIME, context);
  const counters = { ...run, failures: run.failures + 1 };
  const decision = decide(
    task.retry,
    counters,
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
  const attempt: FailedAttempt = { task, run, error };
  return { reason: 'asked', ...settleVerdict(attempt, requestVerdict(attempt, request, context), context) };
}

/** A handler's own request overrides matchers, `retryIf` and the computed delay; not the attempts and the total time. */
function requestVerdict(
  { task, run, error }: FailedAttempt,
  request: RetryRequest,
  context: SettleContext,
): Verdict {
  const { maxAttempts = task.retry.maxAttempts } = request;
  const policy: Policy = { ...withoutErrorRules(task.retry), maxAttempts: readCount(maxAttempts) };
  const counters = { ...run, failures: run.failures + 1 };
  if (!isEligible(policy, counters)) return EXHAUSTED;
  const chosen = chosenDelay(policy, run, { request, now: context.now });
  if (chosen !== undefined) return chosen;
  // An error that forbids retries is only recorded here: the handler asked for another attempt.
  const failure = { error: isNonRetryable(error) ? undefined : error };
  return verdictOf(decide(policy, counters, failure, decisionContext(run, context)));
}

function readCount(count: number | 'Infinity'): number {
  return count === 'Infinity' ? Infinity : count;
}

/** The verdict for the `delay` or `at` that the handler chose; `undefined` when it leaves that to the policy. */
function chosenDelay(
  { totalTimeoutMs }: Policy,
  run: Run<'started'>,
  { request: { delay, at }, now }: { readonly request: RetryRequest; readonly now: number },
): Verdict | undefined {
  const chosenMs = parseDuration(delay);
  const delayMs = chosenMs ?? (at === undefined ? undefined : Math.max(at - now, 0));
  if (delayMs === undefined) return undefined;
  if (now + delayMs >= totalStartAt(run, now) + totalTimeoutMs) return OUT_OF_TIME;
  const clampedMs = Math.min(delayMs, Math.max(MAX_INSTANT_AT - now, 0));
  return { type: 'retry', delayMs: clampedMs, runAt: chosenMs === undefined ? at : undefined };
}

function verdictOf(decision: Decision): Verdict {
  return decision.type === 'fail' ? decision : { type: 'retry', delayMs: decision.delayMs };
}

function settleVerdict(
  { task, run, error }: FailedAttempt,
  verdict: Verdict,
  { now: at, redact }: SettleContext,
): Settled {
  const { deadLetter } = task;
  const isFollowed = verdict.type === 'retry' && verdict.delayMs === 0;
  const failed = failedRun(run, { error, at, isFollowed, redact });
  if (verdict.type === 'fail') {
    return { settlement: settle(failed, [{ type: 'fail', at }], { deadLetter }), reason: verdict.reason };
  }
  const { delayMs, runAt } = verdict;
  const next = { ...failed, previousDelayMs: delayMs };
  if (runAt !== undefined) {
    const event: RunEvent = { type: 'retry', at, runAt: Math.ceil(runAt) };
    return { settlement: settle(next, [event]), delayMs };
  }
  const event: RunEvent = { type: 'retry', at, runAt: dueAt(delayMs, at) };
  return { settlement: settle(next, [event], { delayMs }), delayMs };
}
