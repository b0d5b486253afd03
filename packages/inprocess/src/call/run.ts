import { openLater } from './open.ts';
import type { Attempt, Call, Plan } from './plan.ts';
import { nested } from './plan.ts';
import { runAttempt } from './timeouts.ts';

/**
 * Runs a call to its end. If the caller can abort, the loop runs inside a promise that the abort rejects immediately:
 * one abort listener then serves all attempts and waits of the call, and the loop need not resume to end.
 *
 * @param call - `undefined` for one that is opened after its first attempt has failed
 * @param self - the `this` of the function; a parameter, as an object for both would cost every call an allocation
 * @param parameters - `undefined` for a function that takes the attempt's context
 */
export function runCall(
  plan: Plan,
  call: Call | undefined,
  self?: unknown,
  parameters?: unknown[],
): Promise<unknown> {
  if (call?.watchSignal === undefined) return runAttempts(plan, call, self, parameters);
  return new Promise((resolve, reject) => {
    call.watchSignal?.(reject);
    runAttempts(plan, call, self, parameters).then(resolve, reject);
  });
}

/** The loop: attempt, decide, wait. */
async function runAttempts(
  plan: Plan,
  call: Call | undefined,
  self: unknown,
  parameters: unknown[] | undefined,
): Promise<unknown> {
  if (plan.policy.initialDelayMs > 0) await call?.waitInitialDelay();
  for (;;) {
    const attempt = call?.startAttempt();
    if (call?.ending !== undefined) return call.finish();
    try {
      const result = await (attempt === undefined
        ? plan.fn.apply(self, parameters ?? [])
        : start(attempt, self, parameters ?? [attempt]));
      if (call === undefined || call.accepts(result, attempt)) return result;
    } catch (error) {
      call ??= openLater(plan);
      call.parameters = parameters ?? call.parameters;
      call.fail({ error }, attempt);
    }
    if (call.ending !== undefined) return call.finish();
    await call.waitForRetry();
    if (plan.options.beforeRetry !== undefined) await call.runBeforeRetry();
  }
}

function start(attempt: Attempt, self: unknown, parameters: unknown[]): unknown {
  const { plan } = attempt.call;
  const { nesting } = nested;
  const hasTimeout = attempt.timeoutMs < Infinity;
  if (!hasTimeout && nesting === undefined) return plan.fn.apply(self, parameters);
  const run = (): unknown => plan.fn.apply(self, parameters);
  const entered = nesting === undefined ? run : (): unknown => nesting.enter(attempt, run);
  return hasTimeout ? runAttempt(entered, attempt) : entered();
}
