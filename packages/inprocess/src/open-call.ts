import { AbortableCall } from './abortable-call.ts';
import { Call } from './call.ts';
import { installed } from './instruments.ts';
import type { Plan } from './plan.ts';

/** A call of which nothing has to be known yet; it is made when its first attempt has failed. */
export function openLater({ isBare }: Plan): boolean {
  return isBare && installed.nesting === undefined && installed.observe === undefined;
}

/** Begins a call: its budget and its group are told. */
export function openCall(plan: Plan): Call {
  // A function that is told of its attempts may ask for the time since the start.
  const isTimed = plan.layers.tell !== undefined || plan.policy.deadlineMs < Infinity;
  const call = new (plan.signal === undefined ? Call : AbortableCall)(plan, isTimed ? plan.clock.now() : 0);
  plan.options.group?.enter();
  plan.budget?.record({ type: 'request' });
  return call;
}
