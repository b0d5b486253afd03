import { openLater } from './call/open-call.ts';
import type { Plan } from './call/plan.ts';
import { runCall } from './call/run-call.ts';

/** The function that calls the plan's again; it has its name (or the option's) and length, and passes `this` on. */
export function wrap(plan: Plan): (this: unknown, ...parameters: unknown[]) => Promise<unknown> {
  function retried(this: unknown, ...parameters: unknown[]): Promise<unknown> {
    return runCall(plan, openLater(plan) ? undefined : plan.layers.open(plan, parameters), this, parameters);
  }
  const { name = plan.fn.name } = plan.options;
  const { length } = plan.fn;
  return Object.defineProperties(retried, { name: { value: name }, length: { value: length } });
}
