import type { Policy } from '../policy/policy.ts';
import { allowedAttempts, type RetryLimit } from '../policy/settings.ts';

/** How much of a policy one piece of work has used. A stored task run is one, as it is. */
export interface Counters {
  /** Attempts that failed, the one just failed included. */
  readonly failures: number;
  /** Attempts that died with their worker. @default 0 */
  readonly stalls?: number;
  /** Delay before the latest retry in ms; decorrelated backoff grows from it. */
  readonly previousDelayMs?: number | undefined;
}

/** Attempts that count against `maxAttempts`: failures and stalls, never releases or rate limits. */
export function chargedAttempts({ failures, stalls = 0 }: Counters): number {
  return failures + stalls;
}

/**
 * Whether another attempt may start: always when nothing is charged yet, else only if the policy is
 * retryable and attempts are left.
 *
 * @see docs/sources.md#eligibility (seed 002)
 */
export function isEligible(policy: Policy | RetryLimit, counters: Counters): boolean {
  const charged = chargedAttempts(counters);
  return charged === 0 || charged < allowedAttempts(policy as RetryLimit); // what a policy holds
}
