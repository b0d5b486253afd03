import type { Policy } from '@retry/core';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import type { RetryBudget } from './retry-budget.ts';

/** What holds for a call: its own, or together with what stands around it. */
export interface Scope {
  readonly policy: Policy;
  readonly signal: AbortSignal | undefined;
  readonly budget: RetryBudget | undefined;
  /** The deadline of what stands around it, in epoch milliseconds; `Infinity` is none. */
  readonly deadlineAt: number;
  /** How many calls stand around this one. */
  readonly depth: number;
  /** Attempts that all layers together may make. */
  readonly totalAttempts: number;
  /** Takes away what was set to hear two signals at once. */
  readonly release?: (() => void) | undefined;
}

/** Attempts that a call may make by its policy alone. */
export function attemptsOf(policy: Policy): number {
  return allowedAttempts(settingsOf(policy));
}
