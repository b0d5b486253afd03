import type { Policy, Problem } from '@retry/core';
import { InvalidOptionsError, isPolicy } from '@retry/core';
import type { PolicySettings } from '@retry/core/fields';
import { isGenerator, isSynchronous } from '@retry/core/fields';
import type { RetryOptions } from '../call/options.ts';
import type { Retried, Target } from '../call/plan.ts';
import { isPolicyValue, NO_POLICY } from './policy-rules.ts';

/** The options of the main entry, without the circuit breaker and those for nested calls. */
export type SlimOptions<Result = unknown> = Omit<
  RetryOptions<Result>,
  'circuitBreaker' | 'parent' | 'nested' | 'onNested'
>;

/** The `typeof` of each option's value, or a member that it has. */
const OPTIONS: Readonly<Record<keyof SlimOptions, string>> = {
  name: 'string',
  signal: 'aborted',
  retryIfResult: 'synchronous',
  beforeRetry: 'function',
  onAttempt: 'function',
  onRetry: 'function',
  onGiveUp: 'function',
  budget: 'spend',
  group: 'park',
  random: 'synchronous',
  clock: 'setTimer',
  unref: 'boolean',
  reportError: 'function',
};

/**
 * Checks the arguments of a slim function less strictly than the main entry: keys, names, and the kinds of values at any depth.
 *
 * @throws {InvalidOptionsError} listing every problem
 */
export function checkCall(
  fn: unknown,
  policy: Policy | PolicySettings,
  options?: SlimOptions<never>,
): Retried {
  // As they are now: what the caller does to them later is not checked, and changes nothing.
  const given = Object.fromEntries(Object.keys(OPTIONS).map((key) => [key, Object(options)[key]]));
  const settings = isPolicy(policy) ? policy : { ...Object(policy) };
  const problems = [
    ...problemsOf(
      { fn },
      (value) => typeof value === 'function' && !isGenerator(value),
      'Mind the order of the arguments.',
    ),
    ...problemsOf(
      { options },
      (value) => value === undefined || Object.prototype.toString.call(value) === '[object Object]',
      'Use an object.',
    ),
    ...problemsOf({ ...options, ...given }, isOption, `The options are ${Object.keys(OPTIONS).join(', ')}.`),
    ...problemsOf(
      isPolicy(policy) ? {} : { ...NO_POLICY, ...settings },
      isPolicyValue,
      'Use definePolicy(…), or { ...basePolicy, … } with milliseconds.',
    ),
  ];
  if (problems.length > 0) throw new InvalidOptionsError(problems, 'call');
  const kept = (isPolicy(policy) ? policy : copyOf(settings)) as PolicySettings; // checked above
  return { fn: fn as Target, policy: kept, options: given as RetryOptions<never> }; // as above
}

/** Copies lists and objects of literals, as deep as policies have them. */
function copyOf(value: unknown, levels = 4): unknown {
  if (levels === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => copyOf(one, levels - 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copyOf(one, levels - 1)]));
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
  if (!Object.hasOwn(OPTIONS, key)) return false;
  return value === undefined || isOfKind(OPTIONS[key as keyof SlimOptions], value); // it is one of them
}

function isOfKind(kind: string, value: unknown): boolean {
  if (kind === 'synchronous') return isSynchronous(value);
  return typeof value === kind || kind in Object(value);
}
