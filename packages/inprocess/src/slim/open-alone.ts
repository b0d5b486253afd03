import type { Call } from '../call.ts';
import { openCall } from '../open-call.ts';
import type { RetryOptions } from '../options.ts';
import type { Plan } from '../plan.ts';

/** As for the main entry, without what is about calls within calls. */
export type SlimOptions<Result = unknown> = Omit<RetryOptions<Result>, 'parent' | 'nested' | 'onNested'>;

/** Begins a call that does not look for others around it. */
export function openAlone(plan: Plan): Call {
  return openCall(plan, plan.scope);
}
