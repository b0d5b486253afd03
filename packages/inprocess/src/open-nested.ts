import { withSettings } from '@retry/core/fields';
import type { CallView } from './attempt.ts';
import type { Call } from './call.ts';
import { eventOf } from './call-event.ts';
import { isHeard, tell } from './hooks.ts';
import { installed } from './instruments.ts';
import { joinSignals } from './join-signals.ts';
import { openCall } from './open-call.ts';
import type { ParentAttempt } from './options.ts';
import type { Plan } from './plan.ts';
import { attemptsOf } from './scope.ts';

/** Begins a call within the attempt around it: the one it was given, else the one that runs; or in none. */
export function openNested(plan: Plan, parameters?: readonly unknown[]): Call {
  const parent = plan.options.parent ?? installed.nesting?.current();
  if (parent === undefined) return openCall(plan, parameters);
  const call = openCall(nest(plan, parent), parameters);
  const { policy, depth, totalAttempts, options } = call.plan;
  const maxAttempts = attemptsOf(policy);
  if (maxAttempts > 1 && totalAttempts > maxAttempts && isHeard('onNested', options)) {
    tell('onNested', eventOf(call, { depth, maxAttempts, totalAttempts }), call);
  }
  return call;
}

/** The plan within an attempt of another call. */
function nest(plan: Plan, parent: ParentAttempt): Plan {
  const { options, clock } = plan;
  const outer = (parent as { readonly call?: CallView }).call?.plan; // an attempt of ours has a call
  const policy = options.nested === 'once' ? withSettings(plan.policy, { retryable: false }) : plan.policy;
  return {
    ...plan,
    ...joinSignals(options.signal, parent.signal),
    policy,
    isTimed: true,
    budget: options.budget ?? outer?.budget,
    deadlineAt: clock.now() + parent.remainingMs,
    depth: (outer?.depth ?? 0) + 1,
    totalAttempts: attemptsOf(policy) * (outer?.totalAttempts ?? parent.maxAttempts),
  };
}
