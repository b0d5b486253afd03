import type { Policy } from '@retry/core';
import { offAbort, onAbort } from './abort-hub.ts';
import { Attempt } from './attempt-context.ts';
import { installed } from './instruments.ts';
import type { NestedEvent, ParentAttempt, RetryOptions } from './options.ts';
import type { Plan } from './plan.ts';
import type { RetryBudget } from './retry-budget.ts';

/** What holds for a call: its own, or together with what stands around it. */
export interface Scope {
  readonly policy: Policy;
  readonly signal: AbortSignal | undefined;
  readonly budget: RetryBudget | undefined;
  /** The deadline of what stands around it, in epoch milliseconds; `Infinity` is none. */
  readonly deadlineAt: number;
  /** How many calls stand around this one. */
  readonly depth: number;
  /** Attempts that all layers together may make. */
  readonly totalAttempts: number;
  /** Takes away what was set to hear two signals at once. */
  readonly release?: (() => void) | undefined;
}

/** The scope of a call that stands in no other: the same for all calls of a plan. */
export function scopeOf(policy: Policy, { signal, budget }: RetryOptions<never>): Scope {
  const totalAttempts = policy.retryable ? policy.maxAttempts : 1;
  return { policy, signal, budget, deadlineAt: Infinity, depth: 0, totalAttempts };
}

/** The attempt around a call that is about to start: the one it was given, else the one that runs. */
export function findParent(plan: Plan): ParentAttempt | undefined {
  return plan.options.parent ?? installed.current?.();
}

/** The plan's scope within an attempt of another call. */
export function nestScope({ scope, options, clock }: Plan, parent: ParentAttempt): Scope {
  const outer = parent instanceof Attempt ? parent.call.scope : undefined;
  const isOnce = options.nested === 'once';
  const own = isOnce ? 1 : scope.totalAttempts;
  const { signal = parent.signal, release } = joinSignals(options.signal, parent.signal);
  return {
    policy: isOnce ? { ...scope.policy, retryable: false } : scope.policy,
    signal,
    budget: options.budget ?? outer?.budget,
    deadlineAt: clock.now() + parent.remainingMs,
    depth: (outer?.depth ?? 0) + 1,
    totalAttempts: own * (outer?.totalAttempts ?? parent.maxAttempts),
    release,
  };
}

/** What is worth a warning: attempts of several layers that multiply; `undefined` when they do not. */
export function multiplication({ policy, depth, totalAttempts }: Scope): NestedEvent | undefined {
  const maxAttempts = policy.retryable ? policy.maxAttempts : 1;
  return maxAttempts > 1 && totalAttempts > maxAttempts ? { depth, maxAttempts, totalAttempts } : undefined;
}

interface Joined {
  readonly signal?: AbortSignal;
  readonly release?: () => void;
}

/** One signal for two; AbortSignal.any would do, but it is slow and leaks in Node 20. */
function joinSignals(own: AbortSignal | undefined, outer: AbortSignal): Joined {
  if (own === undefined || own === outer || outer.aborted) return {};
  if (own.aborted) return { signal: own };
  const controller = new AbortController();
  const abort = (): void => controller.abort((own.aborted ? own : outer).reason);
  onAbort(own, abort);
  onAbort(outer, abort);
  const release = (): void => {
    offAbort(own, abort);
    offAbort(outer, abort);
  };
  return { signal: controller.signal, release };
}
