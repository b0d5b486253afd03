import type { Decision, Policy, ServerDelay } from '@retry/core';
import { decide } from '@retry/core';
import type { Attempt } from './attempt.ts';
import type { Failed } from './failed-attempt.ts';
import type { GiveUpReason } from './options.ts';
import type { Plan } from './plan.ts';

/** What an attempt came to that is not to be taken: an error; or a result, and then there is no error. */
export interface Failure {
  readonly error: unknown;
  /** There when a result was refused. */
  readonly result?: unknown;
  /** There when `retryIfResult` threw. */
  readonly thrown?: unknown;
}

/** What is known of the call when an attempt of it has failed. */
export interface Occasion {
  readonly plan: Plan;
  readonly startedAt: number;
  /** The attempt that failed, counted from 1. */
  readonly begun: number;
  readonly latest: Failed | undefined;
  /** How long the attempt took. */
  readonly attemptMs: number;
}

/** Which attempt it was, and when it failed. */
export interface Moment {
  readonly attempt: Attempt | undefined;
  readonly failedAt: number;
}

/** Why retrying ends. */
export interface End {
  readonly type: 'fail';
  readonly reason: GiveUpReason;
  readonly thrown?: unknown;
}

/** What follows a failure. */
export type Verdict = Extract<Decision, { readonly type: 'retry' }> | End;

/** Says what follows. What it asks may be the user's own, a budget or a clock: when that throws, the retrying ends. */
export function weighFailure(occasion: Occasion, failure: Failure, moment: Moment): Verdict {
  try {
    return weigh(occasion, failure, moment);
  } catch (thrown) {
    return { ...fail('stopped'), thrown };
  }
}

/** What the function asked for comes first, then the deadline that cut it, the policy, the group. */
function weigh(occasion: Occasion, failure: Failure, moment: Moment): Verdict {
  const { plan } = occasion;
  const { attempt } = moment;
  plan.budget?.record({ type: 'failure' });
  if (attempt?.wish?.type === 'stop' || 'thrown' in failure) return fail('stopped');
  if (attempt?.isTimedOut && attempt.totalMs !== undefined) return fail('total-timeout');
  const decision = decideByPolicy(occasion, failure, moment);
  return decision.type === 'retry' && plan.options.group?.hasRoom === false ? fail('group') : decision;
}

function fail(reason: GiveUpReason): End {
  return { type: 'fail', reason };
}

function decideByPolicy(occasion: Occasion, failure: Failure, moment: Moment): Decision {
  const { plan, startedAt, begun, latest, attemptMs } = occasion;
  const { failedAt, attempt } = moment;
  const { budget, policy, deadlineAt, options } = plan;
  const isRefused = 'result' in failure;
  const world = {
    now: failedAt,
    random: options.random ?? Math.random,
    startedAt: Number.isNaN(startedAt) ? failedAt : startedAt,
    attemptMs,
    deadlineAt,
    budget: budget && { allowsRetry: budget.allowsRetry(failure.error) },
  };
  const counters = { failures: begun, previousDelayMs: latest?.delayMs };
  const judged = {
    error: isRefused ? failure.result : failure.error,
    timedOut: attempt?.isTimedOut === true,
    serverDelay: askedBy(attempt),
  };
  return decide(isRefused ? withoutRules(policy) : policy, counters, judged, world);
}

/** The rules are about errors; a result has been judged by `retryIfResult`. */
function withoutRules({ retryIf: _, ...policy }: Policy): Policy {
  return { ...policy, retryOn: [], stopOn: [] };
}

/** What the attempt itself asked for; what its error or its `Response` says is the decision's to read. */
function askedBy(attempt: Attempt | undefined): ServerDelay | undefined {
  if (attempt?.wish?.type !== 'retry-after') return undefined;
  return { type: 'delay', delayMs: attempt.wish.delayMs };
}
