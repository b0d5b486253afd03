import type { Counters } from '../decision/counters.ts';
import { chargedAttempts, countersOf } from '../decision/counters.ts';
import type { FailReason } from '../decision/decision.ts';
import { isExpectedTimeout, judge, type RuleReason } from '../decision/judge.ts';
import { checkArguments } from '../fields/check-arguments.ts';
import { isNonRetryable } from '../markers.ts';
import { findMatch } from '../matching/find-match.ts';
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
    return reason === undefined ? allowed(settings, error) : refused(settings, { error, counters, reason });
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
  const index = typeof retryOn === 'string' ? -1 : findMatch(retryOn, error);
  const rule = index === -1 ? 'retryOn' : `retryOn[${index}]`;
  const text = index === -1 ? 'Every error is expected' : `${rule} expects it`;
  return { retries: true, rule, text: `${text}${gate}.` };
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
      return no(reason, 'retryOn', 'No matcher of retryOn matches this error.');
    case 'not-retryable':
      return no(reason, 'retryable', 'The policy has retryable: false.');
    case 'exhausted':
      return no(reason, 'maxAttempts', `It is expected, but ${attempts}.`);
    case 'stopped':
      return stopped(policy, error);
  }
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
