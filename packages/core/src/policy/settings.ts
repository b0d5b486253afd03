import { InvalidOptionsError } from '../errors.ts';
import { read } from '../read.ts';
import type { Policy, PolicySettings } from './policy.ts';

/** Returns the settings of a policy. */
export function settingsOf(policy: Policy): PolicySettings {
  return policy as unknown as PolicySettings; // policyOf alone makes policies, of settings
}

/** Returns settings that have been checked as a policy. */
export function policyOf(settings: PolicySettings): Policy {
  return settings as unknown as Policy; // the opposite of settingsOf
}

/** The settings that limit the attempts. */
export type RetryLimit = Pick<PolicySettings, 'maxAttempts' | 'retryable'>;

/** Returns how many executions a policy allows in all, `1 ≤ attempts ≤ Infinity`. */
export function allowedAttempts({ maxAttempts, retryable }: RetryLimit): number {
  return retryable ? maxAttempts : 1;
}

/** Returns the policy with some settings replaced, without checking them. */
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
 * Returns the settings of a defined policy.
 *
 * @param subject - the function that was called, for the error
 * @throws {InvalidOptionsError} for anything else, also a policy as people write it
 */
export function checkPolicy(value: unknown, subject: string): PolicySettings {
  if (typeof read(value, 'maxDelayMs') === 'number' && read(read(value, 'backoff'), 'type') !== undefined) {
    return value as PolicySettings; // checked by two characteristic keys
  }
  const cure = 'Use definePolicy({ … }).';
  throw new InvalidOptionsError(
    [{ path: 'policy', value, message: 'must be a defined policy', cure }],
    subject,
  );
}

/**
 * Returns the settings of a defined policy, and checks the number of a retry.
 *
 * @throws {InvalidOptionsError} when `policy` is not a defined policy, or `retry` is not a number
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
