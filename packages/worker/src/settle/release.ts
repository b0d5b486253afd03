import { TotalTimeoutError } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { settingsOf } from '@retry/core/fields';
import { ReleasesExhaustedError } from '../errors.ts';
import type { AnyTask } from '../task/task.ts';
import type { Outcome, Release } from './outcome.ts';
import { attemptOf } from './run-facts.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { dueAt, settle } from './settlement.ts';
import { delayVerdict, releaseFor, settleVerdict } from './verdict.ts';

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
