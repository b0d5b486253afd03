import { decide } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { withoutMatchers } from '@retry/core/fields';
import type { RunEvent } from '@retry/core/lifecycle';
import type { AnyTask } from '../task/task.ts';
import type { Outcome } from './outcome.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { decisionContext, dueAt, settle, thrownIn } from './settlement.ts';
import { failedRun } from './stored-error.ts';
import { retryDelayMs } from './verdict.ts';

type Stalled = Extract<Outcome, { type: 'stalled' }>;

/** How a stalled run continues: after this number of milliseconds with another attempt, not before an operator acts, or not at all. */
type Recovery = number | 'hold' | 'give up';

interface Decided {
  readonly recovery: Recovery;
  /** What a function of the policy threw, for which it is given up. */
  readonly thrown?: unknown;
}

/** Records the stall, then applies the task's `onStall`. A stall that is shared with other runs is not charged. */
export function settleStall(
  task: AnyTask,
  run: Run<'started'>,
  { error, isShared = false, stalledWith }: Stalled,
  context: SettleContext,
): Settled {
  const { now: at } = context;
  const { recovery, ...thrown }: Decided = isShared ? { recovery: 0 } : decideOn(task, run, error, context);
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
  return [{ type: 'recover', at, runAt: dueAt(recovery, at) }];
}

/** Notes in the run's latest error how many other runs stalled at the same time. */
function withStalledWith(run: Run<'started'>, stalledWith: number | undefined): Run<'started'> {
  const latest = run.errors.at(-1);
  if (stalledWith === undefined || latest === undefined) return run;
  return { ...run, errors: [...run.errors.slice(0, -1), { ...latest, stalledWith }] };
}

function decideOn(task: AnyTask, run: Run<'started'>, error: unknown, context: SettleContext): Decided {
  const stalls = run.stalls + 1;
  if (task.onStall === 'hold') return { recovery: 'hold' };
  if (task.onStall === 'fail' || stalls > task.maxStalls) return { recovery: 'give up' };
  const expected = withoutMatchers(task.retry);
  const decision = decide(expected, { ...run, stalls }, { error }, decisionContext(run, context));
  if (decision.type === 'retry') return { recovery: retryDelayMs(task, decision.delayMs) };
  return { recovery: 'give up', ...thrownIn(decision) };
}
