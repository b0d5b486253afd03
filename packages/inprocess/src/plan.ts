import type { Clock, Policy } from '@retry/core';
import type { Attempt } from './attempt.ts';
import type { Call } from './call.ts';
import { systemClock, unrefClock } from './clock.ts';
import type { RetryOptions } from './options.ts';
import type { Scope } from './scope.ts';
import { attemptsOf } from './scope.ts';

/** The function under retry, whatever its parameters are. */
export type Target = (this: unknown, ...parameters: readonly unknown[]) => unknown;

/** How much a call knows; what is not given to a plan is not in the bundle. */
export interface Layers {
  /** Begins a call: whether it looks for calls around it. */
  readonly open: (plan: Plan, parameters?: readonly unknown[]) => Call;
  /** Makes an attempt one that the function can be told of; absent where it is not told. */
  readonly tell?: (attempt: Attempt) => Attempt;
}

/** What a function is retried by; the same for each of its calls that stands in no other. */
export interface Plan extends Scope {
  readonly layers: Layers;
  readonly fn: Target;
  readonly options: RetryOptions<never>;
  readonly clock: Clock;
  /** Nothing has to be known, told or watched before the first failure. */
  readonly isBare: boolean;
  /** Something may ask how long the call, or an attempt, has taken. */
  readonly isTimed: boolean;
  /** What events say beside what every event says: the request, for `fetch`. */
  readonly about?: object | undefined;
}

/** What a plan is made of. */
export interface Retried {
  readonly fn: Target;
  readonly policy: Policy;
  readonly options: RetryOptions<never>;
}

/** Takes the policy and the options as they are: what lets people write them has checked them. */
export function createPlan({ fn, policy, options }: Retried, layers: Layers): Plan {
  const { signal, budget, group, parent, retryIfResult } = options;
  const watched = signal ?? budget ?? group ?? parent ?? retryIfResult;
  const isTimed =
    layers.tell !== undefined || policy.totalTimeoutMs < Infinity || isObserved(options, policy);
  return {
    fn,
    options,
    layers,
    policy,
    signal,
    budget,
    deadlineAt: Infinity,
    depth: 0,
    totalAttempts: attemptsOf(policy),
    release: undefined,
    clock: options.clock ?? (options.unref === true ? unrefClock : systemClock),
    isBare:
      watched === undefined &&
      !isTimed &&
      policy.attemptTimeoutMs === Infinity &&
      !(policy.initialDelayMs > 0),
    isTimed,
  };
}

/** Whether something of the user's is passed how long a call has taken. */
function isObserved(options: RetryOptions<never>, { backoff }: Policy): boolean {
  const { onAttempt, onRetry, onGiveUp, onNested, beforeRetry } = options;
  const observer = onAttempt ?? onRetry ?? onGiveUp ?? onNested ?? beforeRetry;
  return observer !== undefined || backoff.type === 'custom';
}
