import type { Clock, Policy, PolicyInput } from '@retry/core';
import { definePolicy } from '@retry/core';
import { systemClock, unrefClock } from './clock.ts';
import type { RetryOptions } from './options.ts';
import type { Scope } from './scope.ts';
import { scopeOf } from './scope.ts';

/** The function under retry, whatever its parameters are. */
export type Target = (this: unknown, ...parameters: readonly unknown[]) => unknown;

/** What a function is retried by; the same for each of its calls. */
export interface Plan {
  readonly fn: Target;
  readonly options: RetryOptions<never>;
  readonly clock: Clock;
  readonly scope: Scope;
  /** Nothing has to be known, told or watched before the first failure. */
  readonly isBare: boolean;
}

/** @throws {PolicyError} when the policy is invalid */
export function createPlan(fn: Target, given: Policy | PolicyInput, options: RetryOptions<never>): Plan {
  const policy = definePolicy(given);
  const { signal, budget, group, parent, onAttempt, retryResult } = options;
  const watched = signal ?? budget ?? group ?? parent ?? onAttempt ?? retryResult;
  return {
    fn,
    options,
    scope: scopeOf(policy, options),
    clock: options.clock ?? (options.unref === true ? unrefClock : systemClock),
    isBare: watched === undefined && policy.attemptTimeoutMs === Infinity && policy.deadlineMs === Infinity,
  };
}
