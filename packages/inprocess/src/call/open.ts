import type { DelayStrategy } from '@retry/core';
import { allowedAttempts } from '@retry/core/fields';
import { joinSignals } from '../time/abort-hub.ts';
import { RetryCall } from './call.ts';
import { isObserved, notify, observer } from './hooks.ts';
import type { ParentAttempt } from './options.ts';
import type { Call, Plan } from './plan.ts';
import { nested } from './plan.ts';

/**
 * Returns whether the `Call` object can be created after the first failure. A successful call then costs no more than
 * a plain `await`.
 */
export function canOpenLater({ isBare }: Plan): boolean {
  return isBare && nested.nesting === undefined && observer.observe === undefined;
}

/** Opens a call whose first attempt has failed already. */
export function openLater(plan: Plan, parameters?: readonly unknown[]): Call {
  return new RetryCall(plan, 1, parameters);
}

/** Opens a call, inside the attempt around it if there is one: the option `parent`, else the attempt that is running. */
export function openCall(plan: Plan, parameters?: readonly unknown[]): Call {
  const parent = plan.options.parent ?? nested.nesting?.current();
  if (parent === undefined) return openAlone(plan, parameters);
  const call = openAlone(nest(plan, parent), parameters);
  const { policy, depth, totalAttempts } = call.plan;
  const maxAttempts = allowedAttempts(policy);
  if (maxAttempts > 1 && totalAttempts > maxAttempts && isObserved(plan.options.onNested)) {
    notify('onNested', call, { depth, maxAttempts, totalAttempts });
  }
  return call;
}

/** Opens a call that is in no other one; its signal and its group count it from now on. */
function openAlone(plan: Plan, parameters?: readonly unknown[]): Call {
  const call = new RetryCall(withOwnStrategy(plan), 0, parameters);
  call.watchSignal();
  plan.options.group?.enter();
  return call;
}

/** Adapts the plan to an attempt of another call: total timeout, signal and budget are taken over. */
function nest(plan: Plan, parent: ParentAttempt): Plan {
  const { options, clock } = plan;
  const outer = (parent as { readonly call?: Call }).call?.plan; // only attempts of this package have a call
  const deadlineAt = clock.now() + parent.remainingMs;
  const policy = options.nested === 'once' ? { ...plan.policy, retryable: false } : plan.policy;
  return {
    ...plan,
    ...joinSignals(options.signal, parent.signal),
    policy,
    isTimed: true,
    budget: options.budget ?? outer?.budget,
    deadlineAt: Number.isNaN(deadlineAt) ? Infinity : deadlineAt, // as from a clock that returns no number
    around: parent,
    depth: (outer?.depth ?? 0) + 1,
    totalAttempts: allowedAttempts(policy) * (outer?.totalAttempts ?? parent.maxAttempts),
  };
}

/** Creates a stateful strategy for each call, at its first retry: if its factory throws, only that call stops. */
function withOwnStrategy(plan: Plan): Plan {
  const { backoff } = plan.policy;
  if (backoff.type !== 'custom' || backoff.create === undefined) return plan;
  const { create } = backoff;
  let strategy: DelayStrategy | undefined;
  const next: DelayStrategy = (retry, context) => {
    strategy ??= create();
    return strategy(retry, context);
  };
  return { ...plan, policy: { ...plan.policy, backoff: { ...backoff, next } } };
}
