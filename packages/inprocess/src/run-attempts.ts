import { settingsOf } from '@retry/core/fields';
import type { Attempt } from './attempt.ts';
import { Call } from './call.ts';
import { installed } from './instruments.ts';
import type { Plan } from './plan.ts';
import { runAttempt } from './run-attempt.ts';

/**
 * The loop: attempt, decide, wait. Rejects with what the caller is to get.
 *
 * @param call - `undefined` for one that is made when its first attempt has failed
 */
export async function runAttempts(
  plan: Plan,
  call: Call | undefined,
  self: unknown,
  parameters: unknown[] | undefined,
): Promise<unknown> {
  if (settingsOf(plan.policy).initialDelayMs > 0) await call?.delayFirst();
  for (;;) {
    const attempt = call?.begin();
    if (call?.over !== undefined) return call.finish();
    try {
      const result = await (attempt === undefined
        ? plan.fn.apply(self, parameters ?? [])
        : start(attempt, self, parameters ?? [attempt]));
      if (call === undefined || call.accepts(result, attempt)) return result;
    } catch (error) {
      call ??= new Call(plan, Number.NaN, 1);
      call.parameters = parameters ?? call.parameters;
      call.fail({ error }, attempt);
    }
    if (call?.over !== undefined) return call.finish();
    await call?.pause();
    if (plan.options.beforeRetry !== undefined) await call?.prepare(plan.options.beforeRetry);
  }
}

function start(attempt: Attempt, self: unknown, parameters: unknown[]): unknown {
  const { plan } = attempt.call;
  const { nesting } = installed;
  const isFree = attempt.timeoutMs === Infinity;
  if (isFree && nesting === undefined) return plan.fn.apply(self, parameters);
  const run = (): unknown => plan.fn.apply(self, parameters);
  const entered = nesting === undefined ? run : (): unknown => nesting.enter(attempt, run);
  return isFree ? entered() : runAttempt(entered, attempt, attempt.call);
}
