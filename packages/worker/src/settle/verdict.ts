import type { Decision, FailReason } from '@retry/core';
import { MAX_INSTANT_AT } from '@retry/core';
import type { Run } from '@retry/core/broker';
import type { AttemptReason } from '@retry/core/failures';
import { settingsOf } from '@retry/core/fields';
import type { RunEvent } from '@retry/core/lifecycle';
import { isApart } from '../engine/plan/retry-share.ts';
import type { AnyTask } from '../task/task.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { dueAt, settle, thrownIn, totalStartAt } from './settlement.ts';
import { failedRun } from './stored-error.ts';

/** What follows a failed attempt, and why. */
export type Verdict =
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

export const UNREADABLE: Verdict = { type: 'fail', reason: 'unreadable' };
export const OUT_OF_TIME: Verdict = { type: 'fail', reason: 'total-timeout' };
const OVER_BUDGET: Verdict = { type: 'fail', reason: 'budget' };
export const EXHAUSTED: Verdict = { type: 'fail', reason: 'exhausted' };

/** An attempt that failed, and what it failed with. */
export interface FailedAttempt {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  readonly error: unknown;
  /** The handler asked for another attempt. @default false */
  readonly isAsked?: boolean;
}

/** Returns what follows by core's decision. */
export function verdictOf(decision: Decision): Verdict {
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
export function paidVerdict(verdict: Verdict, { budget }: Pick<SettleContext, 'budget'>): Verdict {
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
  const event: RunEvent = { type: 'retry', at, runAt: dueAt(delayMs, at) };
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
  const event: RunEvent = { type: 'release', at, runAt: dueAt(delayMs, at) };
  return { settlement: settle(run, [event], { delayMs }), delayMs };
}
