import type { Policy, Problem } from '@retry/core';
import { InvalidOptionsError, isPolicy } from '@retry/core';
import { isSynchronous, type PolicySettings, policyOf } from '@retry/core/fields';
import type { RetryOptions } from '../options.ts';
import type { Retried, Target } from '../plan.ts';
import { basePolicy } from './base-policy.ts';
import type { SlimOptions } from './slim-options.ts';

/** What each option is: the kind of value, or a member that it has. */
const OPTIONS: Readonly<Record<keyof SlimOptions, string>> = {
  name: 'string',
  signal: 'aborted',
  retryIfResult: 'answer',
  beforeRetry: 'function',
  onAttempt: 'function',
  onRetry: 'function',
  onGiveUp: 'function',
  budget: 'spend',
  group: 'park',
  random: 'answer',
  clock: 'setTimer',
  unref: 'boolean',
  reportError: 'function',
};

/** Every key, without its value: what is missing is wrong, too. */
const NO_POLICY = Object.fromEntries(Object.keys(basePolicy).map((key) => [key, undefined]));

/**
 * Checks what a slim function was given, more roughly than the main entry does: each key, and the kind of its value.
 *
 * @throws {InvalidOptionsError} listing every problem
 */
export function checkCall(
  fn: unknown,
  policy: Policy | PolicySettings,
  options?: SlimOptions<never>,
): Retried {
  const problems = [
    ...problemsOf({ fn }, isOfKind.bind(undefined, 'function'), 'Mind the order of the arguments.'),
    ...problemsOf(
      { options },
      (value) => value === undefined || Object.prototype.toString.call(value) === '[object Object]',
      'Use an object.',
    ),
    ...problemsOf({ ...options }, isOption, `The options are ${Object.keys(OPTIONS).join(', ')}.`),
    ...problemsOf(
      isPolicy(policy) ? {} : { ...NO_POLICY, ...Object(policy) },
      isPolicyValue,
      'Use { ...basePolicy, … }, durations in milliseconds; or what definePolicy gives.',
    ),
  ];
  if (problems.length > 0) throw new InvalidOptionsError(problems, 'call');
  // Checked above.
  return {
    fn: fn as Target,
    policy: policyOf(policy as PolicySettings),
    options: (options ?? {}) as RetryOptions<never>,
  };
}

function problemsOf(
  values: object,
  isRight: (value: unknown, key: string) => boolean,
  cure: string,
): readonly Problem[] {
  return Object.entries(values)
    .filter(([key, value]) => !isRight(value, key))
    .map(([path, value]) => ({ path, value, message: 'is unknown or wrong', cure }));
}

function isOption(value: unknown, key: string): boolean {
  const kind = Object.hasOwn(OPTIONS, key) ? OPTIONS[key as keyof SlimOptions] : undefined; // it is one of them
  return kind !== undefined && (value === undefined || isOfKind(kind, value));
}

function isOfKind(kind: string, value: unknown): boolean {
  if (kind === 'answer') return isSynchronous(value);
  return typeof value === kind || (typeof value === 'object' && value !== null && kind in value);
}

/** Of the same kind as the base policy's; no number of a policy is below 0. */
function isPolicyValue(value: unknown, key: string): boolean {
  if (key === 'retryIf') return value === undefined || isOfKind('test', value);
  const base: unknown = Reflect.get(basePolicy, key);
  if (key === 'retryOn') return isRetryOn(value);
  if (key === 'jitter' && value === Object(value)) return true;
  return typeof value === typeof base && value !== null && (typeof value !== 'number' || value >= 0);
}

function isRetryOn(value: unknown): boolean {
  return value === 'everything' || value === 'nothing' || Array.isArray(value);
}
