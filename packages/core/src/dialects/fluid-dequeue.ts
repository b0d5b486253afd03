import { decide } from '../decision/decide.ts';
import type { Decision, DecisionContext } from '../decision/decision.ts';
import type { TaskOptions } from './dialect.ts';

/** How many runs there are when one more wants to start. */
export interface StartCounters {
  /** Runs of the task that are under way. */
  readonly running: number;
  /** How often this run has already been put off by the limit. */
  readonly rateLimits: number;
}

/** What to do with a run that wants to start. */
export type StartDecision =
  | { readonly type: 'run' | 'wait' | 'end' }
  | Extract<Decision, { readonly type: 'retry' }>;

/**
 * Whether a run may start under its task's `globalConcurrency`; if not, when it comes back. A retry that the
 * limit causes has a counter of its own, so failures and limits never use each other up. Pure.
 *
 * @see docs/dialects.md#fluid
 */
export function decideStart(
  task: TaskOptions,
  { running, rateLimits }: StartCounters,
  context: DecisionContext,
): StartDecision {
  const { globalConcurrency = Infinity, whenFull = 'wait', rateLimitRetry } = task;
  if (running < globalConcurrency) return { type: 'run' };
  if (whenFull !== 'retry' || rateLimitRetry === undefined) {
    return { type: whenFull === 'wait' ? 'wait' : 'end' };
  }
  const decision = decide(rateLimitRetry, { failures: rateLimits + 1 }, { error: undefined }, context);
  return decision.type === 'retry' ? decision : { type: 'end' };
}

/**
 * For how long a run that was met `remainingMs` before its time is put back; `undefined` when it is due.
 *
 * @returns milliseconds, `remainingMs ≤ delay`
 */
export function requeueDelay(
  { minRequeueDelayMs = 0 }: TaskOptions,
  remainingMs: number,
): number | undefined {
  return remainingMs > 0 ? Math.max(remainingMs, minRequeueDelayMs) : undefined;
}
