import { drawDelay } from '../delay/compute-delay.ts';
import { MAX_INSTANT_AT } from '../duration.ts';
import {
  A_DELAY,
  AN_INSTANT,
  type ArgumentRule,
  type Arguments,
  checkArguments,
  optional,
} from '../fields/check-arguments.ts';
import type { Policy, PolicySettings } from '../policy/policy.ts';
import { checkPolicy, settingsOf } from '../policy/settings.ts';
import type { DelayContext } from '../policy/strategy.ts';
import { read } from '../read.ts';
import { applyServerDelay } from './apply-server-delay.ts';
import type { Counters } from './counters.ts';
import { areCounters, chargedAttempts, countersOf, factsOf } from './counters.ts';
import type { Decision, DecisionContext, FailReason, Failure } from './decision.ts';
import { judge } from './judge.ts';
import { serverDelayBy } from './read-server-delay.ts';

/**
 * Decides what follows a failed attempt: a retry after a delay, or the end for a reason. Pure; an error thrown by a gate,
 * predicate or strategy is part of the decision.
 *
 * The rules are checked in this order, and the first that refuses the retry decides: `NonRetryableError` and `stopOn`,
 * `retryOn`, `retryable`, `maxAttempts`, `retryIf`, a custom strategy, the server's delay, the total timeout, the budget.
 *
 * @param counters - with the attempt that just failed already counted
 * @throws {InvalidOptionsError} when `policy` was not made by `definePolicy`, or another argument is wrong
 * @see docs/policies.md#the-decision
 */
export function decide(
  policy: Policy,
  counters: Counters,
  failure: Failure,
  context: DecisionContext,
): Decision {
  if (!areRight(counters, failure, context))
    checkArguments('decide', argumentsOf(counters, failure, context));
  const decision = decideBy(settingsOf(policy), counters, failure, context);
  // It may have thrown because there is no policy.
  if (decision.type === 'fail' && 'thrown' in decision) checkPolicy(policy, 'decide');
  return decision;
}

/** Every failure in a worker passes here: the rules, and so the error, are read only if something is wrong. */
function areRight(counters: unknown, failure: unknown, context: unknown): boolean {
  try {
    if (!isFailure(failure) || !areCounters(counters)) return false;
    const given = Object(context) as Partial<DecisionContext>; // each value is checked
    const { now, wallNow, random, startedAt = 0, deadlineAt = 0, budget } = given;
    const { previousDelayMs = 0 } = counters as Partial<Counters>; // as above
    const { serverDelay } = failure as Partial<Failure>; // as above
    return (
      typeof now === 'number' &&
      typeof startedAt === 'number' &&
      typeof deadlineAt === 'number' &&
      typeof previousDelayMs === 'number' &&
      typeof random === 'function' &&
      (wallNow === undefined || typeof wallNow === 'function') &&
      (serverDelay === undefined || isServerDelay(serverDelay)) &&
      (budget === undefined || isBudget(budget))
    );
  } catch {
    return false; // a getter that throws, or a revoked Proxy
  }
}

function argumentsOf(counters: unknown, failure: unknown, context: unknown): Arguments {
  return {
    ...countersOf(counters),
    previousDelayMs: [read(counters, 'previousDelayMs'), optional(A_DELAY)],
    failure: [failure, A_FAILURE],
    'failure.serverDelay': [read(failure, 'serverDelay'), optional(A_SERVER_DELAY)],
    'context.now': [read(context, 'now'), AN_INSTANT],
    'context.wallNow': [read(context, 'wallNow'), optional(aFunction('Use Date.now, or leave it out.'))],
    'context.random': [read(context, 'random'), aFunction('Use Math.random.')],
    'context.startedAt': [read(context, 'startedAt'), optional(AN_INSTANT)],
    'context.deadlineAt': [read(context, 'deadlineAt'), optional(AN_INSTANT)],
    'context.budget': [read(context, 'budget'), optional(A_BUDGET)],
  };
}

function isFailure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const A_FAILURE: ArgumentRule = {
  accepts: isFailure,
  message: 'must be an object',
  cure: 'Use { error }.',
};

function isServerDelay(value: unknown): boolean {
  const type = read(value, 'type');
  if (type === 'delay') return typeof read(value, 'delayMs') === 'number';
  return type === 'absent' || type === 'refused' || type === 'malformed';
}

const A_SERVER_DELAY: ArgumentRule = {
  accepts: isServerDelay,
  message: 'must be the delay of a server',
  cure: 'Use what readServerDelay or parseServerDelay returns.',
};

function isBudget(value: unknown): boolean {
  return typeof read(value, 'allowsRetry') === 'boolean';
}

const A_BUDGET: ArgumentRule = {
  accepts: isBudget,
  message: 'must have allowsRetry, true or false',
  cure: 'Use { allowsRetry: allowsRetry(budget, state, now) }.',
};

function aFunction(cure: string): ArgumentRule {
  return { accepts: (value) => typeof value === 'function', message: 'must be a function', cure };
}

/** Decides as `decide` does, by settings that have been checked. */
export function decideBy(
  settings: PolicySettings,
  counters: Counters,
  failure: Failure,
  context: DecisionContext,
): Decision {
  try {
    const refusal = judge(settings, counters, failure, context);
    return refusal === undefined ? schedule(settings, counters, failure, context) : fail(refusal);
  } catch (thrown) {
    return { type: 'fail', reason: 'stopped', thrown };
  }
}

function schedule(
  policy: PolicySettings,
  counters: Counters,
  failure: Failure,
  context: DecisionContext,
): Decision {
  const { now, random, startedAt = now, deadlineAt = Infinity, budget } = context;
  const { previousDelayMs } = counters;
  // Every failure passes here; only custom strategies read more.
  const drawn: DelayContext =
    policy.backoff.type === 'custom'
      ? { ...factsOf(counters, context), random, previousDelayMs, error: failure.error }
      : { random, previousDelayMs, ...(policy.delays.length > 0 && { error: failure.error }) };
  const ownMs = drawDelay(policy, chargedAttempts(counters), drawn);
  if (ownMs === undefined) return fail('stopped');
  const serverDelay = failure.serverDelay ?? serverDelayBy(failure.error, context);
  const limitMs = Math.min(startedAt + policy.totalTimeoutMs, deadlineAt) - now;
  const delayMs = applyServerDelay(policy.retryAfter, ownMs, { asked: serverDelay, limitMs, random });
  if (delayMs === undefined) return fail('retry-after');
  if (now + delayMs >= Math.min(startedAt + policy.totalTimeoutMs, deadlineAt)) return fail('total-timeout');
  if (budget !== undefined && !budget.allowsRetry) return fail('budget');
  const decision = retryAfter(delayMs, now);
  return delayMs === ownMs ? decision : { ...decision, askedBy: 'server' };
}

/** Limits the delay so that the retry is due no later than the last instant that a broker can store. */
function retryAfter(delayMs: number, now: number): Extract<Decision, { readonly type: 'retry' }> {
  const leftMs = MAX_INSTANT_AT - now;
  // A clock that returns no number shortens no delay.
  const clampedMs = leftMs < delayMs ? Math.max(leftMs, 0) : delayMs;
  return { type: 'retry', delayMs: clampedMs, runAt: Math.min(now + clampedMs, MAX_INSTANT_AT) };
}

function fail(reason: FailReason): Decision {
  return { type: 'fail', reason };
}
