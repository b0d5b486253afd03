import { countsAsFailure } from '@retry/core/circuit-breaker';
import type { AnyTask } from '../task/task.ts';
import type { Outcome } from './outcome.ts';
import type { Settled } from './settlement.ts';

/** An attempt of a task with a circuit breaker. */
export interface SampledAttempt {
  readonly task: AnyTask;
  readonly outcome: Outcome;
  /** When its claim was answered, by the worker's clock. */
  readonly claimedAt: number;
  /** It was let through by the hold of the breaker. */
  readonly isProbe: boolean;
}

/** What an attempt says about the dependency of its task. */
export type Sample = 'success' | 'failure';

/**
 * Returns what the circuit breaker counts of an attempt; `undefined` when it says nothing about the dependency: its error is
 * unexpected or stops the retrying, its payload cannot be read, or it did not end by itself.
 */
export function sampleOf(outcome: Outcome, { reason }: Pick<Settled, 'reason'>): Sample | undefined {
  switch (outcome.type) {
    case 'completed':
      return 'success';
    case 'failed':
    case 'asked':
      return isFailure(reason) ? 'failure' : undefined;
    case 'released':
    case 'cancelled':
    case 'unreadable':
    case 'stalled':
    case 'limited':
    case 'early':
      return undefined;
  }
}

function isFailure(reason: Settled['reason']): boolean {
  if (reason === 'stalled' || reason === 'unreadable') return false;
  if (reason === 'refused' || reason === 'releases-exhausted') return false;
  return reason === 'asked' || countsAsFailure(reason);
}
