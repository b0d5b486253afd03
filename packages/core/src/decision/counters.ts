import type { Policy, RunFacts } from '../policy/policy.ts';
import { allowedAttempts, type RetryLimit } from '../policy/settings.ts';
import type { DecisionContext } from './decision.ts';

/** The counters of one call or run that a decision reads. A stored run can be passed as it is. */
export interface Counters {
  /** Failed attempts, including the one that has just failed. */
  readonly failures: number;
  /** Attempts that stalled: their worker was lost. @default 0 */
  readonly stalls?: number;
  /** Charged attempts that were made elsewhere, before the first one here. @default 0 */
  readonly carried?: number;
  /** Delay before the latest retry, in milliseconds; decorrelated backoff grows from it. */
  readonly previousDelayMs?: number | undefined;
}

/** Returns the attempts that count against `maxAttempts`: failures, stalls and those carried along, never releases or rate limits. */
export function chargedAttempts({ failures, stalls = 0, carried = 0 }: Counters): number {
  return carried + failures + stalls;
}

/** Returns what strategies and gates know about a call or run; without a context, only the counters. */
export function factsOf({ failures, stalls, carried }: Counters, context?: DecisionContext): RunFacts {
  if (context === undefined) return { failures, stalls, carried };
  const { id, lane, now, startedAt = now, attemptMs } = context;
  return { id, lane, failures, stalls, carried, now, elapsedMs: now - startedAt, attemptMs };
}

/**
 * Returns whether another attempt may start: always if no attempt is charged yet, else only if the policy is retryable
 * and attempts are left.
 *
 * @see docs/sources.md#eligibility (seed 002)
 */
export function isEligible(policy: Policy | RetryLimit, counters: Counters): boolean {
  const charged = chargedAttempts(counters);
  return charged === 0 || charged < allowedAttempts(policy as RetryLimit); // what a policy holds
}
