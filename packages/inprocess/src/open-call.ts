import { Call } from './call.ts';
import { isHeard, tell } from './hooks.ts';
import { installed } from './instruments.ts';
import type { Plan } from './plan.ts';
import { findParent, multiplication, nestScope } from './scope.ts';

/** A call of which nothing has to be known yet; it is made when its first attempt has failed. */
export function openLater({ isBare }: Plan): boolean {
  return isBare && installed.current === undefined && installed.observe === undefined;
}

/** Begins a call: what stands around it, its budget and its group are told. */
export function openCall(plan: Plan): Call {
  const { options, clock } = plan;
  const parent = findParent(plan);
  const scope = parent === undefined ? plan.scope : nestScope(plan, parent);
  const call = new Call(plan, scope, clock.now());
  options.group?.enter();
  scope.budget?.record({ type: 'request' });
  const event = parent && isHeard('onNested', options) ? multiplication(scope) : undefined;
  if (event !== undefined) tell('onNested', event, call);
  return call;
}
