import type { Run } from '@retry/core/broker';
import type { RetryBudget } from '@retry/core/budget';
import { CountedFailure } from '@retry/core/fields';
import { sampleOf } from '../engine/lanes/lane-breakers.ts';
import type { WorkerEmitter } from '../events.ts';
import type { AnyTask } from '../task/task.ts';
import type { Outcome } from './outcome.ts';
import type { Decided } from './settlement.ts';
import { attemptOf, isFirstStart } from './settlement.ts';

/** Records each first attempt once in the budget of its task, and once again when its run was redriven. */
export function recordStart(task: AnyTask, run: Run<'started'>, emitter: WorkerEmitter): void {
  if (!isFirstStart(run) || attemptOf(run) > 1) return;
  inform(task, emitter, (budget) => budget.record({ type: 'request' }));
}

/** An attempt whose handler has returned. */
interface ReturnedAttempt {
  readonly task: AnyTask;
  /** Says that the time that follows is none of its handler. */
  noteReturn(): void;
}

/** Waits until the budget can be asked about this outcome. One that throws here is asked nonetheless. */
export async function awaitBudget(attempt: ReturnedAttempt, { type }: Outcome): Promise<void> {
  if (type !== 'failed' && type !== 'asked') return;
  attempt.noteReturn();
  try {
    await attempt.task.budget?.ready?.();
  } catch {
    // What is wrong with it is reported when it is asked.
  }
}

/** Returns what the budget counts if the attempt may have failed. A failed probe of the circuit breaker is not charged, and its retry is free. */
export function countedFailure(
  { budget }: Pick<AnyTask, 'budget'>,
  isProbe: boolean | undefined,
  outcome: Outcome,
): CountedFailure | undefined {
  if (budget === undefined || isProbe === true) return undefined;
  if (outcome.type !== 'failed' && outcome.type !== 'asked') return undefined;
  return new CountedFailure(budget, outcome.error);
}

/** How an attempt has ended, and what the budget counts of it. */
interface BudgetedEnd {
  readonly end: { readonly task: AnyTask; readonly budget?: CountedFailure | undefined };
  readonly decided: Decided;
}

/**
 * Records how an attempt has ended: a retry is paid when it is decided on. A success pays nothing back, as another worker may have paid for
 * its retry.
 */
export function recordEnd({ end, decided }: BudgetedEnd, emitter: WorkerEmitter): void {
  const { settled, outcome } = decided;
  inform(end.task, emitter, (budget) => {
    if (outcome.type === 'completed') budget.record({ type: 'success' });
    if (end.budget === undefined || sampleOf(outcome, settled) !== 'failure') return;
    end.budget.count();
    if (settled.settlement.event === 'retry') budget.spend(end.budget.error);
  });
}

/** Lets a budget record something. What it throws becomes an `error` event, and changes no run. */
function inform(
  { lane, budget }: AnyTask,
  emitter: WorkerEmitter,
  record: (budget: RetryBudget) => void,
): void {
  try {
    if (budget !== undefined) record(budget);
  } catch (error) {
    emitter.emit('error', () => ({ error, doing: `informing the budget of ${lane}` }));
  }
}
