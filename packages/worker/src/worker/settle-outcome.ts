import type { Decision, DecisionContext, FailReason, Policy } from '@retry/core';
import {
  chargedAttempts,
  decide,
  isEligible,
  isNonRetryable,
  MAX_INSTANT_AT,
  parseDuration,
} from '@retry/core';
import type { Run, Settlement } from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import type { AnyTask, RetryRequest } from '../task/task.ts';
import { failedRun } from './failed-run.ts';
import type { Outcome } from './outcome.ts';
import type { Redact } from './redact.ts';
import { settle } from './settle.ts';

/** What a settlement may know about the world. */
export interface SettleContext {
  /** Now by the broker's clock, in epoch milliseconds. */
  readonly now: number;
  readonly random: () => number;
  /** How long the attempt took, where that is known; custom strategies may read it. */
  readonly attemptMs?: number | undefined;
  /** What of an error is stored. @default its name, message and stack */
  readonly redact?: Redact | undefined;
}

/** The settlement of an attempt, and why it is that one. */
export interface Settled {
  readonly settlement: Settlement;
  readonly reason?: FailReason | 'asked' | 'stalled' | 'unreadable' | 'refused';
  readonly delayMs?: number;
}

/**
 * What an attempt's end means for its run: asks core, moves the run by the lifecycle, touches nothing.
 *
 * What is to come later is due after a delay rather than at an instant: the broker adds its own clock, so that a slow
 * network makes no retry early.
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
      return settleDecision({ task, run, error: outcome.error }, UNREADABLE, context);
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
  /** `runAt` is there when the handler chose an instant, which then stays exact. */
  | { readonly type: 'retry'; readonly delayMs: number; readonly runAt?: number | undefined };

const UNREADABLE: Verdict = { type: 'fail', reason: 'unreadable' };
const OUT_OF_TIME: Verdict = { type: 'fail', reason: 'total-timeout' };

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
  const verdict = isOutOfTime
    ? OUT_OF_TIME
    : ofDecision(
        decide(
          task.retry,
          { ...run, failures: run.failures + 1 },
          { error, timedOut: isTimeout },
          decisionContext(run, context),
        ),
      );
  return settleDecision({ task, run, error }, verdict, context);
}

/** A handler's own request beats matching, the gate and delay math; never the number of attempts and the total time. */
function settleRequest(
  task: AnyTask,
  run: Run<'started'>,
  { request, error }: Extract<Outcome, { type: 'asked' }>,
  context: SettleContext,
): Settled {
  const { maxAttempts = task.retry.maxAttempts } = request;
  const policy: Policy = { ...whateverTheError(task.retry), maxAttempts: readCount(maxAttempts) };
  const attempt: FailedAttempt = { task, run, error };
  const counters = { ...run, failures: run.failures + 1 };
  const verdict = isEligible(policy, counters)
    ? (ownDelay(policy, run, { request, now: context.now }) ??
      // An error that forbids retries was only to be recorded: the handler wants another attempt.
      ofDecision(
        decide(
          policy,
          counters,
          { error: isNonRetryable(error) ? undefined : error },
          decisionContext(run, context),
        ),
      ))
    : ({ type: 'fail', reason: 'exhausted' } as const);
  return { reason: 'asked', ...settleDecision(attempt, verdict, context) };
}

function readCount(count: number | 'Infinity'): number {
  return count === 'Infinity' ? Infinity : count;
}

/** When the handler says that the next attempt is to be; `undefined` when it leaves that to the policy. */
function ownDelay(
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

function ofDecision(decision: Decision): Verdict {
  return decision.type === 'fail' ? decision : { type: 'retry', delayMs: decision.delayMs };
}

function settleDecision(
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
  const event: RunEvent = {
    type: 'retry',
    at,
    runAt: runAt === undefined ? dueAt(delayMs, at) : Math.ceil(runAt),
  };
  return {
    settlement: settle(next, [event], runAt === undefined ? { delayMs } : {}),
    delayMs,
  };
}

/** Whole milliseconds, never early; without a delay immediately, so that no schedule comes between. */
function dueAt(delayMs: number, at: number): number {
  return delayMs === 0 ? at : Math.min(Math.ceil(at + delayMs), MAX_INSTANT_AT);
}

/** Recorded always; then another attempt (charged unless it is shared), an end, or nothing, as the task says. */
function settleStall(
  task: AnyTask,
  run: Run<'started'>,
  { error, isShared = false, stalledWith }: Stalled,
  context: SettleContext,
): Settled {
  const { now: at, redact } = context;
  const delayMs = isShared ? 0 : recovery(task, run, error, context);
  const failed = failedRun(run, { error, at, isFollowed: delayMs === 0, redact });
  const stall: RunEvent = { type: 'stall', at, ...(isShared && { isShared }) };
  return {
    settlement: settle(withCompany(failed, stalledWith), [stall, ...afterStall(delayMs, at)], {
      deadLetter: task.deadLetter,
      ...(typeof delayMs === 'number' && { delayMs }),
    }),
    reason: 'stalled',
  };
}

function afterStall(delayMs: number | 'held' | 'given up', at: number): readonly RunEvent[] {
  if (delayMs === 'held') return [];
  if (delayMs === 'given up') return [{ type: 'giveUp', at }];
  return [{ type: 'recover', at, runAt: dueAt(delayMs, at) }];
}

type Stalled = Extract<Outcome, { type: 'stalled' }>;

/** The run whose latest error says how many others stalled along with it. */
function withCompany(run: Run<'started'>, stalledWith: number | undefined): Run<'started'> {
  const latest = run.errors.at(-1);
  if (stalledWith === undefined || latest === undefined) return run;
  return { ...run, errors: [...run.errors.slice(0, -1), { ...latest, stalledWith }] };
}

/** After how long a stalled run gets another attempt; otherwise how it ends. */
function recovery(
  task: AnyTask,
  run: Run<'started'>,
  error: unknown,
  context: SettleContext,
): number | 'held' | 'given up' {
  const stalls = run.stalls + 1;
  if (task.onStall === 'hold') return 'held';
  if (task.onStall === 'fail' || stalls > task.maxStalls) return 'given up';
  const expected = { ...task.retry, retryOn: [], stopOn: [] };
  const decision = decide(expected, { ...run, stalls }, { error }, decisionContext(run, context));
  return decision.type === 'fail' ? 'given up' : decision.delayMs;
}

/** The limit's own counter and policy; charges nothing. */
function settleLimit(task: AnyTask, run: Run<'started'>, context: SettleContext): Settled {
  const at = context.now;
  const end: RunEvent = { type: 'limit', at };
  if (task.whenFull === 'end') return { settlement: settle(run, [end]) };
  const decision = decide(
    whateverTheError(task.rateLimitRetry),
    { failures: run.rateLimits + 1 },
    { error: undefined },
    { now: at, random: context.random },
  );
  if (decision.type === 'fail') return { settlement: settle(run, [end]), reason: decision.reason };
  const delayMs = Math.max(decision.delayMs, 1);
  return { settlement: settle(run, [{ ...end, runAt: dueAt(delayMs, at) }], { delayMs }), delayMs };
}

/** How long before it was due, by the broker's clock, the run was handed out; 0 when it was not early. */
export function earlyMs({ runAt = 0, startedAt = 0 }: Run): number {
  // What is stored in whole milliseconds is early by less than one.
  return runAt - startedAt > 1 ? runAt - startedAt : 0;
}

/** Put back until it is due, and for no shorter than its task says; charges nothing. */
function settleEarly({ minRequeueMs = 0 }: AnyTask, run: Run<'started'>, at: number): Settled {
  const delayMs = Math.max(earlyMs(run), minRequeueMs);
  return {
    settlement: settle(run, [{ type: 'limit', at, runAt: dueAt(delayMs, at) }], { delayMs }),
    delayMs,
  };
}

/** Where no error has happened there is none to match; attempts, delays and the total time still count. */
function whateverTheError({ retryIf: _, ...policy }: Policy): Policy {
  return { ...policy, retryOn: [], stopOn: [] };
}

function decisionContext(
  run: Run<'started'>,
  { now, random, attemptMs }: SettleContext,
): Pick<DecisionContext, 'now' | 'random' | 'startedAt' | 'attemptMs'> {
  return { now, random, attemptMs, startedAt: totalStartAt(run, now) };
}

/**
 * Since when the total time of a started run passes, by the broker's clock: its first start, or its latest redrive. The
 * first attempt after a redrive has all of it, however long the run has waited in its lane.
 */
export function totalStartAt(run: Run<'started'>, now: number): number {
  const claimedAt = run.startedAt ?? now;
  return run.epoch - run.resetEpoch === 1 ? claimedAt : (run.resetAt ?? run.firstStartedAt ?? now);
}

/** Charged attempts so far and the running one; counted from 1. */
export function attemptOf(run: Run): number {
  return chargedAttempts(run) + 1;
}
