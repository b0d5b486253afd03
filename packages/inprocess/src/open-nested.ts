import type { CallView } from './attempt.ts';
import type { Call } from './call.ts';
import { isHeard, tell } from './hooks.ts';
import { installed } from './instruments.ts';
import { joinSignals } from './join-signals.ts';
import { openCall } from './open-call.ts';
import type { ParentAttempt } from './options.ts';
import type { Plan } from './plan.ts';
import type { Scope } from './scope.ts';
import { attemptsOf } from './scope.ts';

/** Begins a call within the attempt around it: the one it was given, else the one that runs; or in none. */
export function openNested(plan: Plan): Call {
  const parent = plan.options.parent ?? installed.nesting?.current();
  if (parent === undefined) return openCall(plan, plan.scope);
  const scope = nestScope(plan, parent);
  const call = openCall(plan, scope);
  const maxAttempts = attemptsOf(scope.policy);
  const { depth, totalAttempts } = scope;
  if (maxAttempts > 1 && totalAttempts > maxAttempts && isHeard('onNested', plan.options)) {
    tell('onNested', { depth, maxAttempts, totalAttempts }, call);
  }
  return call;
}

/** The plan's scope within an attempt of another call. */
function nestScope({ scope, options, clock }: Plan, parent: ParentAttempt): Scope {
  const { call: outer } = parent as { readonly call?: Pick<CallView, 'scope'> }; // an attempt of ours has one
  const policy = options.nested === 'once' ? { ...scope.policy, retryable: false } : scope.policy;
  return {
    ...joinSignals(options.signal, parent.signal),
    policy,
    budget: options.budget ?? outer?.scope.budget,
    deadlineAt: clock.now() + parent.remainingMs,
    depth: (outer?.scope.depth ?? 0) + 1,
    totalAttempts: attemptsOf(policy) * (outer?.scope.totalAttempts ?? parent.maxAttempts),
  };
}
