import type { Counters } from '../decision/counters.ts';
import { decideBy } from '../decision/decide.ts';
import type { Decision, DecisionContext } from '../decision/decision.ts';
import type { Policy } from '../policy/policy.ts';
import { settingsOf, withoutErrorRules, withoutMatchers } from '../policy/settings.ts';
import { failureOf, forbidsRetry } from './recorded-error.ts';
import type { KnownAttempt } from './recorded-run.ts';

/** A decision of `decide`, or the end of a run that no policy decided. */
export type ReplayDecision = Decision | { readonly type: 'fail'; readonly reason: 'ended' };

/** The end that any policy leads to. */
export const ENDED: ReplayDecision = { type: 'fail', reason: 'ended' };

/**
 * Decides about a recorded attempt as a worker does about a live one: a stall is expected whatever its error is, one that is
 * shared is repeated immediately, and a handler that asks for an attempt overrides the rules about errors.
 */
export function decideRecorded(
  policy: Policy,
  counters: Counters,
  recorded: KnownAttempt,
  context: DecisionContext,
): ReplayDecision {
  if (recorded.reason === 'ended') return ENDED;
  if (recorded.end === 'shared stall') return { type: 'retry', delayMs: 0, runAt: context.now };
  const failure = failureOf(recorded);
  if (recorded.end === 'stall')
    return decideBy(settingsOf(withoutMatchers(policy)), counters, failure, context);
  if (recorded.reason !== 'asked') return decideBy(settingsOf(policy), counters, failure, context);
  const asked = forbidsRetry(recorded) ? { error: undefined } : failure;
  return decideBy(settingsOf(withoutErrorRules(policy)), counters, asked, context);
}
