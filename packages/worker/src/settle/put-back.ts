import type { Policy } from '@retry/core';
import { computeDelay, decide, TotalTimeoutError } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { settingsOf, withoutErrorRules } from '@retry/core/fields';
import type { RunEvent } from '@retry/core/lifecycle';
import { ReleasesExhaustedError } from '../errors.ts';
import type { AnyTask } from '../task/task.ts';
import type { Outcome, Release } from './outcome.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { attemptOf, dueAt, earlyMs, settle, thrownIn } from './settlement.ts';
import { delayVerdict, releaseFor, settleVerdict } from './verdict.ts';

/** After this number of draws a delay no longer depends on the first of them: it is near its cap. */
const MAX_DRAWS = 100;

/** Settles a run whose limit is reached by the task's `rateLimitRetry`, which has its own counter. Charges nothing. */
export function settleLimit(task: AnyTask, run: Run<'started'>, context: SettleContext): Settled {
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
export function settleEarly({ minRequeueMs = 0 }: AnyTask, run: Run<'started'>, at: number): Settled {
  const delayMs = Math.max(earlyMs(run), minRequeueMs);
  return settleLater(run, delayMs, at);
}

/** Puts a run off whose handler was not called. */
function settleLater(run: Run<'started'>, delayMs: number, at: number): Settled {
  const event: RunEvent = { type: 'limit', at, runAt: dueAt(delayMs, at) };
  return { settlement: settle(run, [event], { delayMs, hasStarted: false }), delayMs };
}

/**
 * Gives a run back, uncharged. What the worker gives back has no limit. What a handler releases fails when it has been given
 * back too often, and when its total time is over before it could start again.
 */
export function settleRelease(
  task: AnyTask,
  run: Run<'started'>,
  { request, delayMs = 0 }: Extract<Outcome, { type: 'released' }>,
  context: SettleContext,
): Settled {
  const { now: at, hasStarted } = context;
  if (request === undefined && delayMs > 0) {
    const release = { type: 'release', at, runAt: dueAt(delayMs, at) } as const;
    return { settlement: settle(run, [release], { delayMs, hasStarted }), delayMs };
  }
  if (request === undefined) return { settlement: settle(run, [{ type: 'release', at }], { hasStarted }) };
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
