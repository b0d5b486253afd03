import { InvalidOptionsError } from '../errors.ts';
import { read } from '../read.ts';
import type { Policy, PolicySettings } from './policy.ts';

/** Returns what a policy holds. */
export function settingsOf(policy: Policy): PolicySettings {
  return policy as unknown as PolicySettings; // made of settings by policyOf alone
}

/** Returns the policy that holds these settings, which were checked. */
export function policyOf(settings: PolicySettings): Policy {
  return settings as unknown as Policy; // the opposite of settingsOf
}

/** The settings that limit the attempts. */
export type RetryLimit = Pick<PolicySettings, 'maxAttempts' | 'retryable'>;

/** Returns how many executions a policy allows in all, `1 ≤ attempts ≤ Infinity`. */
export function allowedAttempts({ maxAttempts, retryable }: RetryLimit): number {
  return retryable ? maxAttempts : 1;
}

/** Returns the policy with other settings in place of its own. They are not checked. */
export function withSettings(policy: Policy, settings: Partial<PolicySettings>): Policy {
  return policyOf({ ...settingsOf(policy), ...settings });
}

/** Returns the policy without `retryOn` and `stopOn`, for a failure that is expected in any case. */
export function withoutMatchers(policy: Policy): Policy {
  return withSettings(policy, { retryOn: 'everything', stopOn: [] });
}

/** Returns the policy without `retryOn`, `stopOn` and `retryIf`, where no error was thrown. */
export function withoutErrorRules(policy: Policy): Policy {
  return withSettings(withoutMatchers(policy), { retryIf: undefined });
}

/**
 * Returns the settings of a policy, and refuses anything else: a policy as people write it has durations as text, and
 * other keys.
 *
 * @param subject - the function that was called
 * @throws {InvalidOptionsError}
 */
export function checkPolicy(value: unknown, subject: string): PolicySettings {
  // A policy of the slim entry has no brand.
  if (typeof read(value, 'maxDelayMs') === 'number' && read(read(value, 'backoff'), 'type') !== undefined) {
    return value as PolicySettings; // checked just now, as far as a look can tell
  }
  const cure = 'Use definePolicy({ … }).';
  throw new InvalidOptionsError(
    [{ path: 'policy', value, message: 'must be a defined policy', cure }],
    subject,
  );
}

/**
 * The same; also refuses a retry that is no number.
 *
 * @throws {InvalidOptionsError}
 */
export function checkRetry(policy: unknown, retry: unknown, subject: string): PolicySettings {
  const settings = checkPolicy(policy, subject);
  if (typeof retry === 'number') return settings;
  const cure = 'Use 1 for the wait after the first failed attempt.';
  throw new InvalidOptionsError(
    [{ path: 'retry', value: retry, message: 'must be a number', cure }],
    subject,
  );
}
