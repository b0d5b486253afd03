import { computeDelay } from '../delay/compute-delay.ts';
import type { Policy } from '../policy/policy.ts';
import type { Counters } from './counters.ts';
import { chargedAttempts } from './counters.ts';
import type { Decision, DecisionContext, FailReason, Failure } from './decision.ts';
import { judge } from './judge.ts';
import { applyServerDelay, serverDelayOf } from './server-delay.ts';

/**
 * What to do after a failed attempt: retry after a delay, or fail for a reason. Pure; never throws.
 *
 * The rules are asked in this order: `NonRetryableError` and `stopOn`, `retryOn`, `retryable`,
 * `maxAttempts`, `retryIf`, the server's delay, the deadline, the budget. The first that says no decides.
 *
 * @param counters - with the attempt that just failed already counted
 * @see docs/policies.md#the-decision
 */
export function decide(
  policy: Policy,
  counters: Counters,
  failure: Failure,
  context: DecisionContext,
): Decision {
  try {
    const refusal = judge(policy, counters, failure.error);
    return refusal === undefined ? schedule(policy, counters, failure, context) : fail(refusal);
  } catch (thrown) {
    return { type: 'fail', reason: 'stopped', thrown };
  }
}

function schedule(policy: Policy, counters: Counters, failure: Failure, context: DecisionContext): Decision {
  const { now, random, startedAt = now, deadlineAt = Infinity, budget } = context;
  const { previousDelayMs } = counters;
  const ownMs = computeDelay(policy, chargedAttempts(counters), {
    random,
    previousDelayMs,
    error: failure.error,
  });
  const delayMs = applyServerDelay(policy, ownMs, failure.serverDelay ?? serverDelayOf(failure.error));
  if (delayMs === undefined) return fail('server-delay');

  const runAt = now + delayMs;
  if (runAt >= Math.min(startedAt + policy.deadlineMs, deadlineAt)) return fail('deadline');
  if (budget !== undefined && !budget.allowsRetry) return fail('budget');
  return { type: 'retry', delayMs, runAt };
}

function fail(reason: FailReason): Decision {
  return { type: 'fail', reason };
}
