import type { Policy } from '@retry/core';
import { computeDelay, decide, TotalTimeoutError } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { settingsOf, withoutErrorRules, withoutMatchers } from '@retry/core/fields';
import type { RunEvent } from '@retry/core/lifecycle';
import { isDeadLetter } from '@retry/core/lifecycle';
import { ReleasesExhaustedError } from '../errors.ts';
import type { AnyTask } from '../task/task.ts';
import { withDeadLetter, withGroup } from './dead-letter.ts';
import {
  delayVerdict,
  releaseFor,
  retryDelayMs,
  settleFailure,
  settleRequest,
  settleVerdict,
  UNREADABLE,
} from './failure.ts';
import type { Outcome, Release } from './outcome.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { attemptOf, decisionContext, earlyMs, instantIn, settle, thrownIn } from './settlement.ts';
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

/** After this number of draws a delay no longer depends on the first of them: it is near its cap. */
const MAX_DRAWS = 100;

/** Settles a run whose limit is reached by the task's `rateLimitRetry`, which has its own counter. Charges nothing. */
function settleLimit(task: AnyTask, run: Run<'started'>, context: SettleContext): Settled {
  const at = context.now;
  const end: RunEvent = { type: 'limit', at };
  if (task.whenFull === 'end') return { settlement: settle(run, [end]) };
  const decision = decide(
    withoutErrorRules(task.rateLimitRetry),
    { failures: run.rateLimits + 1, previousDelayMs: previousDelayOf(task.rateLimitRetry, run, context) },
    { error: undefined },
    { now: at, random: context.random, id: run.id, lane: run.lane },
  );
  if (decision.type === 'fail')
    return { settlement: settle(run, [end]), reason: decision.reason, ...thrownIn(decision) };
  const delayMs = Math.max(decision.delayMs, 1);
  return settleLater(run, delayMs, at);
}

/**
 * Draws the delay before the latest one, which is not kept with the run, by those before it: so decorrelated backoff, the only one
 * that grows from it, has the same range and distribution.
 */
function previousDelayOf(policy: Policy, { rateLimits }: Run, { random }: SettleContext): number | undefined {
  if (settingsOf(policy).backoff.type !== 'decorrelated') return undefined;
  let previousDelayMs: number | undefined;
  for (let retry = 1; retry <= Math.min(rateLimits, MAX_DRAWS); retry += 1)
    previousDelayMs = computeDelay(policy, retry, { random, previousDelayMs });
  return previousDelayMs;
}

/** Puts a run back until it is due, and at least for the task's `minRequeueDelay`. Charges nothing. */
function settleEarly({ minRequeueMs = 0 }: AnyTask, run: Run<'started'>, at: number): Settled {
  const delayMs = Math.max(earlyMs(run), minRequeueMs);
  return settleLater(run, delayMs, at);
}

/** Puts a run off whose handler was not called. */
function settleLater(run: Run<'started'>, delayMs: number, at: number): Settled {
  const event: RunEvent = { type: 'limit', at, runAt: instantIn(delayMs, at) };
  return { settlement: settle(run, [event], { delayMs, wasCalled: false }), delayMs };
}

/**
 * Gives a run back, uncharged. What the worker gives back has no limit. What a handler releases fails when it has been given
 * back too often, and when its total time is over before it could start again.
 */
function settleRelease(
  task: AnyTask,
  run: Run<'started'>,
  { request, delayMs = 0 }: Extract<Outcome, { type: 'released' }>,
  context: SettleContext,
): Settled {
  const { now: at, wasCalled } = context;
  if (request === undefined && delayMs > 0) {
    const release = { type: 'release', at, runAt: instantIn(delayMs, at) } as const;
    return { settlement: settle(run, [release], { delayMs, wasCalled }), delayMs };
  }
  if (request === undefined) return { settlement: settle(run, [{ type: 'release', at }], { wasCalled }) };
  return settleRequested({ task, run }, request, context);
}

function settleRequested(
  { task, run }: { readonly task: AnyTask; readonly run: Run<'started'> },
  { delayMs, reason }: Release,
  context: SettleContext,
): Settled {
  if (run.releases >= task.maxReleases) {
    const { releases } = run;
    const error = new ReleasesExhaustedError({ releases, maxReleases: task.maxReleases }, reason);
    const verdict = { type: 'fail', reason: 'releases-exhausted' } as const;
    return { ...settleVerdict({ task, run, error }, verdict, context), error };
  }
  const verdict = delayVerdict({ task, run }, delayMs, context);
  if (verdict.type === 'fail') {
    const error = new TotalTimeoutError(settingsOf(task.retry).totalTimeoutMs, attemptOf(run));
    return { ...settleVerdict({ task, run, error }, verdict, context), error };
  }
  return {
    ...releaseFor(run, verdict.delayMs, context.now),
    ...(reason !== undefined && { releasedBecause: reason }),
  };
}

type Stalled = Extract<Outcome, { type: 'stalled' }>;

/** How a stalled run continues: after this number of milliseconds with another attempt, not before an operator acts, or not at all. */
type Recovery = number | 'hold' | 'give up';

interface DecidedRecovery {
  readonly recovery: Recovery;
  /** What a function of the policy threw, for which it is given up. */
  readonly thrown?: unknown;
}

/** Records the stall, then applies the task's `onStall`. A stall that is shared with other runs is not charged. */
function settleStall(
  task: AnyTask,
  run: Run<'started'>,
  { error, isShared = false, stalledWith }: Stalled,
  context: SettleContext,
): Settled {
  const { now: at } = context;
  const { recovery, ...thrown }: DecidedRecovery = isShared
    ? { recovery: 0 }
    : decideOn(task, run, error, context);
  const failed = failedRun(run, { error, isFollowed: recovery === 0, reason: 'stalled' }, context);
  if (typeof recovery === 'number' && !isShared) failed.previousDelayMs = recovery;
  const stall: RunEvent = { type: 'stall', at, ...(isShared && { isShared }) };
  return {
    settlement: settle(withStalledWith(failed, stalledWith), [stall, ...afterStall(recovery, at)], {
      deadLetter: task.deadLetter,
      ...(typeof recovery === 'number' && { delayMs: recovery }),
    }),
    reason: 'stalled',
    ...thrown,
  };
}

function afterStall(recovery: Recovery, at: number): readonly RunEvent[] {
  if (recovery === 'hold') return [];
  if (recovery === 'give up') return [{ type: 'giveUp', at }];
  return [{ type: 'recover', at, runAt: instantIn(recovery, at) }];
}

/** Notes in the run's latest error how many other runs stalled at the same time. */
function withStalledWith(run: Run<'started'>, stalledWith: number | undefined): Run<'started'> {
  const latest = run.errors.at(-1);
  if (stalledWith === undefined || latest === undefined) return run;
  return { ...run, errors: [...run.errors.slice(0, -1), { ...latest, stalledWith }] };
}

function decideOn(
  task: AnyTask,
  run: Run<'started'>,
  error: unknown,
  context: SettleContext,
): DecidedRecovery {
  const stalls = run.stalls + 1;
  if (task.onStall === 'hold') return { recovery: 'hold' };
  if (task.onStall === 'fail' || stalls > task.maxStalls) return { recovery: 'give up' };
  const expected = withoutMatchers(task.retry);
  const decision = decide(expected, { ...run, stalls }, { error }, decisionContext(run, context));
  if (decision.type === 'retry') return { recovery: retryDelayMs(task, decision.delayMs) };
  return { recovery: 'give up', ...thrownIn(decision) };
}
