import { decide } from '../../decision/decide.ts';
import type { Decision, DecisionContext } from '../../decision/decision.ts';
import type { TaskOptions } from '../dialect.ts';

/** The counters that decide whether a run may start. */
interface StartCounters {
  /** Runs of the task that are running. */
  readonly running: number;
  /** How often the limit has already delayed this run. */
  readonly rateLimits: number;
}

/** What happens to a run that is to start. */
type StartDecision =
  | { readonly type: 'run' | 'wait' | 'end' }
  | Extract<Decision, { readonly type: 'retry' }>;

/**
 * Decides whether a run may start under its task's `globalConcurrency`, and if not, when it is tried again. Retries
 * because of the limit have their own counter: they do not use up the retries of failures. Pure.
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
 * Returns the delay of a run that was claimed `remainingMs` before it is due; `undefined` if it is due.
 *
 * @returns milliseconds, `remainingMs ≤ delay`
 */
export function requeueDelay(
  { minRequeueDelayMs = 0 }: TaskOptions,
  remainingMs: number,
): number | undefined {
  return remainingMs > 0 ? Math.max(remainingMs, minRequeueDelayMs) : undefined;
}
