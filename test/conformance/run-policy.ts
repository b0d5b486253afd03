import type { Decision, Policy } from '@retry/core';
import { decide } from '@retry/core';

/** The result of a run under a policy. */
export interface PolicyRun {
  /** The number of executions; `unlimited` if it does not end. */
  readonly executions: number | 'unlimited';
  readonly delaysMs: readonly number[];
  /** The decision that ended it; absent when an attempt succeeded. */
  readonly end?: Decision;
}

/** What happens in each attempt. */
export interface Script {
  /** The error of this attempt, counted from 1; `undefined` is success. */
  readonly errorOf: (attempt: number) => unknown;
  readonly random?: () => number;
  /** Executions after which a run counts as unlimited. @default 60 */
  readonly most?: number;
}

/** Runs a policy to its end by asking `decide` after every failed attempt, as a worker does. */
export function runPolicy(policy: Policy, { errorOf, random = () => 0.5, most = 60 }: Script): PolicyRun {
  const delaysMs: number[] = [];
  for (let attempt = 1; attempt <= most; attempt += 1) {
    const error = errorOf(attempt);
    if (error === undefined) return { executions: attempt, delaysMs };
    const counters = { failures: attempt, previousDelayMs: delaysMs.at(-1) };
    const decision = decide(policy, counters, { error }, { now: 0, random });
    if (decision.type === 'fail') return { executions: attempt, delaysMs, end: decision };
    delaysMs.push(decision.delayMs);
  }
  return { executions: 'unlimited', delaysMs };
}

/** The delays in seconds; of an unlimited run only as many as the case shows. */
export function shownDelays(
  { executions, delaysMs }: PolicyRun,
  shown: readonly unknown[] | undefined,
): readonly number[] {
  const seconds = delaysMs.map((ms) => ms / 1_000);
  return executions === 'unlimited' ? seconds.slice(0, shown?.length) : seconds;
}
