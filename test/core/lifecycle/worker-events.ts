import { decide, definePolicy, isEligible, NonRetryableError, type Policy } from '@retry/core';
import type { RunEvent, RunRecord } from '@retry/core/lifecycle';

/** The bounds of an exploration, and the limits of its worker. */
export interface Limits {
  readonly maxAttempts: number;
  /** Recoveries of a stalled run. */
  readonly maxStalls: number;
  /** Runs sent back for a rate limit more often than this end. */
  readonly maxRateLimits: number;
  readonly maxRedrives: number;
  /** Claims since the attempts were last reset. */
  readonly maxClaims: number;
  /** Whether an operator may keep the attempts of a run that has none left. */
  readonly keepsExhausted: boolean;
  /** Attempts that the run brings along, less than `maxAttempts`. @default 0 */
  readonly carried?: number;
}

/** How long after `at` a delayed run is due. */
const LATER_MS = 60_000;
/** How far in the past a late event is: before the previous event. */
const LATE_MS = 1_500;

/** Every event in every variant, at the instant `at`. */
export function eventsAt(at: number): readonly RunEvent[] {
  const runAt = at + LATER_MS;
  const past = at - LATE_MS;
  return [
    { type: 'submit', at },
    { type: 'submit', at, runAt: at },
    { type: 'submit', at, runAt },
    { type: 'submit', at, runAt: past },
    { type: 'promote', at },
    { type: 'start', at },
    { type: 'heartbeat', at },
    { type: 'heartbeat', at: past },
    { type: 'complete', at },
    { type: 'retry', at, runAt: at },
    { type: 'retry', at, runAt },
    { type: 'retry', at, runAt: past },
    { type: 'fail', at },
    { type: 'release', at },
    { type: 'release', at, runAt: at },
    { type: 'release', at, runAt },
    { type: 'release', at, runAt: past },
    { type: 'stall', at },
    { type: 'stall', at, isShared: false },
    { type: 'stall', at, isShared: true },
    { type: 'recover', at, runAt: at },
    { type: 'recover', at, runAt },
    { type: 'recover', at, runAt: past },
    { type: 'giveUp', at },
    { type: 'cancel', at },
    { type: 'drop', at },
    { type: 'limit', at },
    { type: 'limit', at, runAt: at },
    { type: 'limit', at, runAt },
    { type: 'limit', at, runAt: past },
    { type: 'reschedule', at },
    { type: 'reschedule', at, runAt: at },
    { type: 'reschedule', at, runAt },
    { type: 'reschedule', at, runAt: past },
    { type: 'end', at, as: 'completed' },
    { type: 'end', at, as: 'failed' },
    { type: 'redrive', at },
    { type: 'redrive', at, keepAttempts: false },
    { type: 'redrive', at, keepAttempts: true },
    { type: 'redrive', at, runAt },
    { type: 'redrive', at, runAt: past, keepAttempts: true },
  ];
}

/** Returns whether a worker, cleaner or operator that follows the decisions of core would send this event. */
export function wouldSend(limits: Limits, run: RunRecord, event: RunEvent): boolean {
  const { maxAttempts, maxStalls, maxRateLimits, maxRedrives, maxClaims, keepsExhausted } = limits;
  const policy = { maxAttempts, retryable: true };
  switch (event.type) {
    case 'start':
      return run.epoch - run.resetEpoch < maxClaims;
    case 'retry':
      return decidesRetry(maxAttempts, { ...run, failures: run.failures + 1 }, event);
    case 'fail':
      return decidesFail(maxAttempts, { ...run, failures: run.failures + 1 }, event.at);
    case 'recover':
      return run.stalls <= maxStalls && isEligible(policy, run);
    case 'limit':
      // `rateLimitRetry` is a separate policy with its own counter; without it the run ends.
      if (event.runAt === undefined) return true;
      return decidesRetry(maxRateLimits + 1, { failures: run.rateLimits + 1 }, event);
    case 'redrive':
      if (run.redrives >= maxRedrives) return false;
      return event.keepAttempts !== true || keepsExhausted || isEligible(policy, run);
    default:
      return true;
  }
}

const FINAL = new NonRetryableError('no');

type Charged = Parameters<typeof decide>[1];

function decidesRetry(
  maxAttempts: number,
  counters: Charged,
  event: Pick<RunEvent, 'at'> & { runAt?: number },
) {
  const { at, runAt = at } = event;
  const decision = decide(
    policyOf(maxAttempts, Math.max(runAt - at, 0)),
    counters,
    { error: 'boom' },
    clock(at),
  );
  return decision.type === 'retry' && decision.runAt === runAt;
}

/** An error that may not be retried fails at any attempt. */
function decidesFail(maxAttempts: number, counters: Charged, at: number) {
  return decide(policyOf(maxAttempts, 0), counters, { error: FINAL }, clock(at)).type === 'fail';
}

function clock(now: number) {
  return { now, random: () => 0 };
}

const policies = new Map<string, Policy>();

function policyOf(maxAttempts: number, base: number): Policy {
  const key = `${maxAttempts} ${base}`;
  const known = policies.get(key);
  if (known !== undefined) return known;
  const policy = definePolicy({
    maxAttempts,
    backoff: { type: 'constant', base },
    jitter: 'none',
    maxDelay: '1h',
  });
  policies.set(key, policy);
  return policy;
}
