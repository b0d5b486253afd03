import { type ArgumentRule, type Arguments, checkArguments } from '../fields/check-arguments.ts';
import type { Policy } from '../policy/policy.ts';
import { allowedAttempts, type RetryLimit } from '../policy/settings.ts';
import type { RunFacts } from '../policy/strategy.ts';
import { read } from '../read.ts';
import type { DecisionContext } from './decision.ts';

/** The counters of one call or run that a decision reads. A stored run can be passed as it is. */
export interface Counters {
  /** Failed attempts, including the one that has just failed. */
  readonly failures: number;
  /** Attempts that stalled: their worker was lost. @default 0 */
  readonly stalls?: number | undefined;
  /** Charged attempts that were made elsewhere, before the first one here. @default 0 */
  readonly carried?: number | undefined;
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
 * @throws {InvalidOptionsError} when `policy` has no limit, or the counters are wrong
 * @see docs/sources.md#eligibility (seed 002)
 */
export function isEligible(policy: Policy | RetryLimit, counters: Counters): boolean {
  checkArguments('isEligible', {
    'policy.maxAttempts': [read(policy, 'maxAttempts'), A_LIMIT],
    'policy.retryable': [read(policy, 'retryable'), A_LIMIT_FLAG],
    ...countersOf(counters, ANY_COUNT),
  });
  const charged = chargedAttempts(counters);
  return charged === 0 || charged < allowedAttempts(policy as RetryLimit); // what a policy holds
}

/** Returns whether the counters are those of attempts. Every failure in a worker is asked. */
export function areCounters(value: unknown): boolean {
  const { failures, stalls = 0, carried = 0 } = Object(value) as Partial<Counters>; // each value is checked
  return isCount(failures) && isCount(stalls) && isCount(carried);
}

/** Returns the counters as arguments to be checked. Other keys are not, because a stored run can be passed as it is. */
export function countersOf(counters: unknown, rule: ArgumentRule = A_COUNT): Arguments {
  return {
    failures: [read(counters, 'failures'), rule],
    stalls: [orZero(read(counters, 'stalls')), rule],
    carried: [orZero(read(counters, 'carried')), rule],
  };
}

const COUNT_CURE = 'Use { failures: 1 } after the first attempt.';

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

const A_COUNT: ArgumentRule = {
  accepts: isCount,
  message: 'must be an integer ≥ 0',
  cure: COUNT_CURE,
};

/** The rule of a count that is compared with a limit: the seeds ask for any number, and one below 1 is before the first attempt. */
const ANY_COUNT: ArgumentRule = {
  accepts: (value) => typeof value === 'number' && !Number.isNaN(value),
  message: 'must be a number',
  cure: COUNT_CURE,
};

const LIMIT_CURE = 'Use definePolicy({ … }), or { maxAttempts, retryable }.';

const A_LIMIT: ArgumentRule = {
  accepts: (value) => typeof value === 'number',
  message: 'must be a number of attempts',
  cure: LIMIT_CURE,
};

const A_LIMIT_FLAG: ArgumentRule = {
  accepts: (value) => typeof value === 'boolean',
  message: 'must be true or false',
  cure: LIMIT_CURE,
};

/** `null` is wrong. */
function orZero(value: unknown): unknown {
  return value === undefined ? 0 : value;
}
