import { openLater } from './open.ts';
import type { Call, Plan } from './plan.ts';

/**
 * Runs a call to its end: attempt, decide, wait.
 *
 * @param opened - `undefined` for a call that is opened after its first attempt has failed
 * @param self - the `this` of the function; a parameter, as an object for both would cost every call an allocation
 * @param parameters - `undefined` for a function that takes the attempt's context
 */
export async function runCall(
  plan: Plan,
  opened: Call | undefined,
  self?: unknown,
  parameters?: unknown[],
): Promise<unknown> {
  let call = opened;
  if (plan.policy.initialDelayMs > 0) await call?.waitInitialDelay();
  for (;;) {
    if (call?.startAttempt() === false) return call.finish();
    try {
      // Called from here where possible: each frame below the function costs an error of it a tenth of a microsecond.
      const isBare = call === undefined || call.isBare;
      const result = await (isBare
        ? plan.fn.apply(self, parameters ?? [call?.running])
        : call?.invoke(self, parameters));
      if (call === undefined || call.accepts(result)) return result;
    } catch (error) {
      call ??= openLater(plan, parameters);
      call.fail({ error });
    }
    if (call.ending !== undefined) return call.finish();
    const waiting = call.waitForRetry();
    if (waiting !== undefined) await waiting; // to await nothing would cost a turn of the microtasks
    if (plan.options.beforeRetry !== undefined) await call.runBeforeRetry();
  }
}
