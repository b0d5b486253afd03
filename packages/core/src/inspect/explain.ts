import type { Counters } from '../decision/counters.ts';
import { chargedAttempts, countersOf } from '../decision/counters.ts';
import type { FailReason } from '../decision/decision.ts';
import { isAmbiguous, isExpectedTimeout, judge, mayBeApplied, type RuleReason } from '../decision/judge.ts';
import { NO_CLOCK } from '../decision/parse-server-delay.ts';
import { readServerDelay } from '../decision/read-server-delay.ts';
import { checkArguments } from '../fields/check-arguments.ts';
import { isNonRetryable } from '../markers.ts';
import { findMatch } from '../matching/find-match.ts';
import type { Matcher } from '../matching/matcher.ts';
import { statusOf } from '../matching/status-of.ts';
import { whyMatched } from '../matching/why-matched.ts';
import type { Policy, PolicySettings } from '../policy/policy.ts';
import { checkPolicy } from '../policy/settings.ts';
import { show } from '../show.ts';

/** The rule of a policy that decides about an error. */
export interface Explanation {
  /** Whether another attempt may follow, by the policy's own rules. */
  readonly retries: boolean;
  /** Absent if the error is retried. */
  readonly reason?: FailReason;
  /** The path of the rule: `stopOn[0]`, `retryOn[2]`, `retryOn`, `retryIf`, `maxAttempts`, … */
  readonly rule: string;
  /** One sentence to show. */
  readonly text: string;
  /** Whether what was attempted may have been applied, by the half of a family that matched; absent if no pattern says so. */
  readonly half?: 'notApplied' | 'ambiguous';
  /** What was found in the error and decided nothing: a status that no matcher names, a delay of the server that is ignored. */
  readonly unused?: readonly string[];
}

/**
 * Explains which rule decides what follows an error. Agrees with `decide`, except for the rules that need its context:
 * a custom strategy (which may stop the retrying), the total timeout, the server's delay and the budget.
 *
 * @param counters - as for `decide`. @default those of a first attempt that has just failed
 * @throws {InvalidOptionsError} when `policy` or the counters are wrong; never because of the error
 */
export function explain(policy: Policy, error: unknown, counters: Counters = { failures: 1 }): Explanation {
  const settings = checkPolicy(policy, 'explain');
  checkArguments('explain', countersOf(counters));
  try {
    const reason = judge(settings, counters, { error });
    const explanation =
      reason === undefined ? allowed(settings, error) : refused(settings, { error, counters, reason });
    const unused = unusedFacts(settings, error, explanation);
    return unused.length === 0 ? explanation : { ...explanation, unused };
  } catch (thrown) {
    const text = `A rule of the policy threw ${show(thrown)}, so the run stops with its own error.`;
    return { retries: false, reason: 'stopped', rule: 'thrown', text };
  }
}

function allowed(policy: PolicySettings, error: unknown): Explanation {
  const { retryOn, retryIf } = policy;
  const gate = retryIf === undefined ? '' : ', and retryIf agrees';
  // As in `judge`: the matchers of retryOn are not called for an expected timeout, so they cannot throw.
  if (isExpectedTimeout(policy, { error })) {
    return { retries: true, rule: 'retryTimeouts', text: `An attempt timeout is expected${gate}.` };
  }
  if (typeof retryOn === 'string')
    return { retries: true, rule: 'retryOn', text: `Every error is expected${gate}.` };
  const { index, half } = matchOf(retryOn, error);
  const rule = `retryOn[${index}]`;
  const why = whyMatched(retryOn[index], error);
  const because = why === undefined ? '' : `, by ${why}`;
  const applied = half === undefined ? '' : HALVES[half];
  return {
    retries: true,
    rule,
    text: `${rule} expects it${because}${applied}${gate}.`,
    ...(half && { half }),
  };
}

const HALVES = { notApplied: '; nothing was applied', ambiguous: '; it may have been applied' };

/** Returns the matcher that decides: one for what may have been applied counts more than one for what was not. */
function matchOf(
  matchers: readonly Matcher[],
  error: unknown,
): { readonly index: number; readonly half: Explanation['half'] } {
  const first = findMatch(matchers, error);
  const ambiguous = matchers.filter(isAmbiguous);
  const found = ambiguous[findMatch(ambiguous, error)];
  if (found !== undefined) return { index: matchers.indexOf(found), half: 'ambiguous' };
  const matcher = matchers[first];
  const isFamily = typeof matcher === 'object' && matcher.anywhere !== undefined;
  return { index: first, half: isFamily ? 'notApplied' : undefined };
}

/** Returns what an error says and the policy does not use. */
function unusedFacts(
  { retryAfter }: PolicySettings,
  error: unknown,
  { retries }: Explanation,
): readonly string[] {
  const status = statusOf(error);
  const delay = readServerDelay(error, NO_CLOCK);
  const isDelayUnused = delay.type === 'delay' && (!retries || retryAfter.mode === 'ignore');
  return [
    ...(!retries && status !== undefined ? [`status ${status}`] : []),
    ...(isDelayUnused ? ["a server's delay"] : []),
  ];
}

interface Refusal {
  readonly error: unknown;
  readonly counters: Counters;
  readonly reason: RuleReason;
}

function refused(policy: PolicySettings, { error, counters, reason }: Refusal): Explanation {
  const attempts = `${chargedAttempts(counters)} of ${policy.maxAttempts} attempts are used`;
  switch (reason) {
    case 'unexpected':
      return unexpected(policy, error);
    case 'not-retryable':
      return no(reason, 'retryable', 'The policy has retryable: false.');
    case 'exhausted':
      return no(reason, 'maxAttempts', `It is expected, but ${attempts}.`);
    case 'stopped':
      return stopped(policy, error);
  }
}

function unexpected({ retryOn, idempotent }: PolicySettings, error: unknown): Explanation {
  if (idempotent || typeof retryOn === 'string' || !mayBeApplied(retryOn, error)) {
    return no('unexpected', 'retryOn', 'No matcher of retryOn matches this error.');
  }
  const { index } = matchOf(retryOn, error);
  const why = whyMatched(retryOn[index], error);
  const because = why === undefined ? '' : ` (${why})`;
  const text = `It may have been applied, as retryOn[${index}] says${because}, and the policy has idempotent: false.`;
  return { ...no('unexpected', 'idempotent', text), half: 'ambiguous' };
}

function stopped({ stopOn }: PolicySettings, error: unknown): Explanation {
  if (isNonRetryable(error)) return no('stopped', 'NonRetryableError', 'The error itself forbids a retry.');
  const index = findMatch(stopOn, error);
  const rule = index === -1 ? 'retryIf' : `stopOn[${index}]`;
  return no('stopped', rule, `${rule} says no.`);
}

function no(reason: FailReason, rule: string, text: string): Explanation {
  return { retries: false, reason, rule, text };
}
