import { Call } from './call.ts';
import { isHeard, tell } from './hooks.ts';
import { installed } from './instruments.ts';
import type { Plan } from './plan.ts';
import { findParent, multiplication, nestScope } from './scope.ts';

/** A call of which nothing has to be known yet; it is made when its first attempt has failed. */
export function openLater({ isBare }: Plan): boolean {
  return isBare && installed.current === undefined && installed.observe === undefined;
}

/**
 * Begins a call: what stands around it, its budget and its group are told.
 *
 * @param context - whether its function is given one, and so may ask for the time since the start
 */
export function openCall(plan: Plan, context: 'context' | 'no context'): Call {
  const { options, clock } = plan;
  const parent = findParent(plan);
  const scope = parent === undefined ? plan.scope : nestScope(plan, parent);
  const isTimed = context === 'context' || scope.policy.deadlineMs < Infinity;
  const call = new Call(plan, scope, isTimed ? clock.now() : 0);
  options.group?.enter();
  scope.budget?.record({ type: 'request' });
  const event = parent && isHeard('onNested', options) ? multiplication(scope) : undefined;
  if (event !== undefined) tell('onNested', event, call);
  return call;
}
