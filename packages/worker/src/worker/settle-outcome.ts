import type { Decision, FailReason, Policy } from '@retry/core';
import { chargedAttempts, decide, isEligible, parseDuration } from '@retry/core';
import type { Run, Settlement } from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import type { AnyTask, RetryRequest } from '../task/task.ts';
import { failedRun } from './failed-run.ts';
import type { Outcome } from './outcome.ts';
import { settle } from './settle.ts';

/** What a settlement may know about the world. */
export interface SettleContext {
  /** Now by the broker's clock, in epoch milliseconds. */
  readonly now: number;
  readonly random: () => number;
}

/** The settlement of an attempt, and why it is that one. */
export interface Settled {
  readonly settlement: Settlement;
  readonly reason?: FailReason | 'asked' | 'stalled' | 'unreadable';
  readonly delayMs?: number;
}

/**
 * What an attempt's end means for its run: asks core, moves the run by the lifecycle, touches nothing.
 *
 * A timeout and a stall are expected failures, whatever `retryOn` says; `stopOn` still stops a timeout.
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
      return { settlement: settle(run, [{ type: 'complete', at }], outcome.result) };
    case 'cancelled':
      return { settlement: settle(run, [{ type: 'cancel', at }]) };
    case 'released':
      return { settlement: settle(run, [{ type: 'release', at }]) };
    case 'unreadable':
      return {
        settlement: settle(failedRun(task, run, { error: outcome.error, at, isFollowed: false }), [
          { type: 'fail', at },
        ]),
        reason: 'unreadable',
      };
    case 'limited':
      return settleLimit(task, run, context);
    case 'stalled':
      return settleStall(task, run, outcome.error, context);
    case 'asked':
      return settleRequest(task, run, outcome.request, context);
    case 'failed':
      return settleFailure(task, run, outcome, context);
  }
}

function settleFailure(
  task: AnyTask,
  run: Run<'started'>,
  { error, isTimeout }: Extract<Outcome, { type: 'failed' }>,
  context: SettleContext,
): Settled {
  const policy = isTimeout ? { ...task.retry, retryOn: [] } : task.retry;
  const decision = decide(
    policy,
    { ...run, failures: run.failures + 1 },
    { error },
    decisionContext(run, context),
  );
  return settleDecision(
    failedRun(task, run, { error, at: context.now, isFollowed: isAtOnce(decision) }),
    decision,
    context.now,
  );
}

/** A handler's own wish beats matching, the gate and delay math, never the limit. */
function settleRequest(
  task: AnyTask,
  run: Run<'started'>,
  request: RetryRequest,
  context: SettleContext,
): Settled {
  const { now } = context;
  const error = request.error ?? new Error('the handler asked for a retry');
  if (!isEligible(task.retry, { ...run, failures: run.failures + 1 })) {
    const failed = failedRun(task, run, { error, at: now, isFollowed: false });
    return { settlement: settle(failed, [{ type: 'fail', at: now }]), reason: 'exhausted' };
  }
  const own = decide(
    whateverTheError(task.retry),
    { ...run, failures: run.failures + 1 },
    { error },
    decisionContext(run, context),
  );
  const delayMs =
    parseDuration(request.delay) ?? (request.at === undefined ? undefined : Math.max(request.at - now, 0));
  const asked: Decision = delayMs === undefined ? own : { type: 'retry', delayMs, runAt: now + delayMs };
  const failed = failedRun(task, run, { error, at: now, isFollowed: isAtOnce(asked) });
  return { reason: 'asked', ...settleDecision(failed, asked, now) };
}

function settleDecision(run: Run<'started'>, decision: Decision, at: number): Settled {
  if (decision.type === 'fail') {
    return { settlement: settle(run, [{ type: 'fail', at }]), reason: decision.reason };
  }
  const { delayMs } = decision;
  const next = { ...run, previousDelayMs: delayMs };
  return { settlement: settle(next, [{ type: 'retry', at, runAt: dueAt(decision, at) }]), delayMs };
}

/** Whole milliseconds, never early; without a delay at once, so that no schedule comes between. */
function dueAt({ delayMs, runAt }: Extract<Decision, { type: 'retry' }>, at: number): number {
  return delayMs === 0 ? at : Math.ceil(runAt);
}

function isAtOnce(decision: Decision): boolean {
  return decision.type === 'retry' && decision.delayMs === 0;
}

/** Recorded always; then another attempt (charged), an end, or nothing, as the task says. */
function settleStall(task: AnyTask, run: Run<'started'>, error: unknown, context: SettleContext): Settled {
  const at = context.now;
  const after = recovery(task, run, error, context);
  const [next] = after;
  const isFollowed = next?.type === 'recover' && next.runAt === at;
  const stalled = failedRun(task, run, { error, at, isFollowed });
  return { settlement: settle(stalled, [{ type: 'stall', at }, ...after]), reason: 'stalled' };
}

function recovery(
  task: AnyTask,
  run: Run<'started'>,
  error: unknown,
  context: SettleContext,
): readonly RunEvent[] {
  const at = context.now;
  const stalls = run.stalls + 1;
  if (task.onStall === 'hold') return [];
  if (task.onStall === 'fail' || stalls > task.maxStalls) return [{ type: 'give-up', at }];
  const expected = { ...task.retry, retryOn: [], stopOn: [] };
  const decision = decide(expected, { ...run, stalls }, { error }, decisionContext(run, context));
  return decision.type === 'fail'
    ? [{ type: 'give-up', at }]
    : [{ type: 'recover', at, runAt: dueAt(decision, at) }];
}

/** The limit's own counter and policy; charges nothing. */
function settleLimit(task: AnyTask, run: Run<'started'>, context: SettleContext): Settled {
  const at = context.now;
  const end: RunEvent = { type: 'limit', at };
  if (task.whenLimited === 'end') return { settlement: settle(run, [end]) };
  const counters = { failures: run.rateLimits + 1 };
  const decision = decide(
    whateverTheError(task.rateLimitRetry),
    counters,
    { error: undefined },
    { now: at, random: context.random },
  );
  if (decision.type === 'fail') return { settlement: settle(run, [end]), reason: decision.reason };
  const runAt = Math.max(Math.ceil(decision.runAt), at + 1);
  return { settlement: settle(run, [{ ...end, runAt }]), delayMs: runAt - at };
}

/** Where no error has happened there is none to match; attempts, delays and the deadline still count. */
function whateverTheError({ retryIf: _, ...policy }: Policy): Policy {
  return { ...policy, retryOn: [], stopOn: [] };
}

function decisionContext(
  run: Run,
  { now, random }: SettleContext,
): { now: number; random: () => number; startedAt: number } {
  return { now, random, startedAt: run.resetAt ?? run.startedAt ?? now };
}

/** Charged attempts so far and the running one; counted from 1. */
export function attemptOf(run: Run): number {
  return chargedAttempts(run) + 1;
}
