import { AbortableCall } from './abortable-call.ts';
import type { Call } from './call.ts';
import type { Plan } from './plan.ts';
import { runAttempts } from './run.ts';

/**
 * Runs a call to its end. Where the caller can abort, the loop runs beneath a promise that an abort rejects at
 * once: so an abort needs to be heard once in a call, however many attempts and waits it interrupts, and the loop
 * need not be woken to end.
 *
 * @param call - `undefined` for one that is made when its first attempt has failed
 */
export function runCall(
  plan: Plan,
  call: Call | undefined,
  self: unknown,
  parameters: unknown[] | undefined,
): Promise<unknown> {
  if (!(call instanceof AbortableCall)) return runAttempts(plan, call, self, parameters);
  return new Promise((resolve, reject) => {
    call.heed(reject);
    runAttempts(plan, call, self, parameters).then(resolve, reject);
  });
}
