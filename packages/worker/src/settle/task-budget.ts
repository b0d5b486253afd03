import type { RetryBudget } from '@retry/core/budget';
import { CountedFailure } from '@retry/core/fields';
import { sampleOf } from '../engine/lanes/lane-breakers.ts';
import type { WorkerEmitter } from '../events.ts';
import type { AnyTask } from '../task/task.ts';
import type { Outcome } from './outcome.ts';
import type { Settled } from './settlement.ts';

/** Lets a budget record something. What it throws becomes an `error` event, and changes no run. */
export function informBudget(lane: string, emitter: WorkerEmitter, record: () => void): void {
  try {
    record();
  } catch (error) {
    emitter.emit('error', () => ({ error, doing: `informing the budget of ${lane}` }));
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

/**
 * Records how an attempt has ended: a retry is paid when it is decided on. A success pays nothing back, as another worker may have paid for
 * its retry.
 */
export function recordEnd(
  budget: RetryBudget,
  counted: CountedFailure | undefined,
  { settled, outcome }: { readonly settled: Settled; readonly outcome: Outcome },
): void {
  if (outcome.type === 'completed') budget.record({ type: 'success' });
  if (counted === undefined || sampleOf(outcome, settled) !== 'failure') return;
  counted.count();
  if (settled.settlement.event === 'retry') budget.spend(counted.error);
}
