import type { Decision, Policy, ServerDelay } from '@retry/core';
import { decide, readServerDelay } from '@retry/core';
import type { Attempt } from './attempt.ts';
import type { Failed } from './failed-attempt.ts';
import type { StopReason } from './options.ts';
import type { Plan } from './plan.ts';

/** What an attempt came to that is not to be taken: an error; or a result, and then there is no error. */
export interface Failure {
  readonly error: unknown;
  /** There when a result was refused. */
  readonly result?: unknown;
  /** There when `retryResult` threw. */
  readonly thrown?: unknown;
}

/** What is known of the call when an attempt of it has failed. */
export interface Occasion {
  readonly plan: Plan;
  readonly startedAt: number;
  /** The attempt that failed, counted from 1. */
  readonly begun: number;
  readonly latest: Failed | undefined;
}

/** Which attempt it was, and when it failed. */
export interface Moment {
  readonly attempt: Attempt | undefined;
  readonly failedAt: number;
}

/** Why retrying ends. */
export interface End {
  readonly type: 'fail';
  readonly reason: StopReason;
  readonly thrown?: unknown;
}

/** What follows a failure. */
export type Verdict = Extract<Decision, { readonly type: 'retry' }> | End;

/** What the function asked for comes first, then the deadline that cut it, the policy, the group. */
export function weighFailure(occasion: Occasion, failure: Failure, moment: Moment): Verdict {
  const { plan } = occasion;
  const { attempt } = moment;
  plan.budget?.record({ type: 'failure' });
  if (attempt?.wish?.type === 'stop' || 'thrown' in failure) return fail('stopped');
  if (attempt?.isTimedOut && attempt.timeoutMs < plan.policy.attemptTimeoutMs) return fail('deadline');
  const decision = decideByPolicy(occasion, failure, moment);
  return decision.type === 'retry' && plan.options.group?.hasRoom === false ? fail('group') : decision;
}

function fail(reason: StopReason): End {
  return { type: 'fail', reason };
}

function decideByPolicy(occasion: Occasion, failure: Failure, moment: Moment): Decision {
  const { plan, startedAt, begun, latest } = occasion;
  const { failedAt, attempt } = moment;
  const { budget, policy, deadlineAt, options } = plan;
  const isRefused = 'result' in failure;
  const error = isRefused ? failure.result : failure.error;
  const world = {
    now: failedAt,
    random: options.random ?? Math.random,
    startedAt: policy.deadlineMs < Infinity ? startedAt : failedAt,
    deadlineAt,
    budget: budget && { allowsRetry: budget.allowsRetry(failure.error) },
  };
  const counters = { failures: begun, previousDelayMs: latest?.delayMs };
  const serverDelay = hearServer(error, failedAt, attempt);
  return decide(isRefused ? withoutRules(policy) : policy, counters, { error, serverDelay }, world);
}

/** The rules are about errors; a result has been judged by `retryResult`. */
function withoutRules({ retryIf: _, ...policy }: Policy): Policy {
  return { ...policy, retryOn: [], stopOn: [] };
}

/** What the attempt, its error or its `Response` says about when to come back; a getter that throws says nothing. */
function hearServer(source: unknown, now: number, attempt: Attempt | undefined): ServerDelay | undefined {
  if (attempt?.wish?.type === 'retry-after') return { type: 'delay', delayMs: attempt.wish.delayMs };
  try {
    return readServerDelay(source, now);
  } catch {
    return undefined;
  }
}
