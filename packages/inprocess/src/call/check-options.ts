import type { Policy, PolicyInput, Problem } from '@retry/core';
import { definePolicy, InvalidOptionsError } from '@retry/core';
import type { Report } from '@retry/core/fields';
import { A_FUNCTION, A_SIGNAL, POLICY_KEYS, readFields } from '@retry/core/fields';
import type { OptionRule } from './option-rules.ts';
import { A_CLOCK, hasMethods, isObject, ruleOf, SYNCHRONOUS } from './option-rules.ts';
import type { RetryOptions } from './options.ts';
import type { Retried, Target } from './plan.ts';

/** The rule of each option of a call. */
export const OPTION_RULES: Readonly<Record<keyof RetryOptions, OptionRule>> = {
  name: ruleOf(
    (value) => typeof value === 'string',
    'must be text',
    'Leave it out for the name of the function.',
  ),
  signal: A_SIGNAL,
  retryIfResult: SYNCHRONOUS,
  beforeRetry: A_FUNCTION,
  onAttempt: A_FUNCTION,
  onRetry: A_FUNCTION,
  onGiveUp: A_FUNCTION,
  onNested: A_FUNCTION,
  budget: ruleOf(
    (value) => hasMethods(value, ['allowsRetry', 'record', 'spend']),
    'must be a retry budget',
    'Use createRetryBudget({ … }).',
  ),
  group: ruleOf(
    (value) => hasMethods(value, ['enter', 'leave', 'park']),
    'must be a retry group',
    'Use createRetryGroup().',
  ),
  parent: ruleOf(
    (value) => isObject(value) && ['maxAttempts', 'remainingMs', 'signal'].every((key) => key in value),
    'must be the context of an attempt',
    'Use the ctx of the outer function, or of the handler.',
  ),
  nested: ruleOf(
    (value) => value === 'retry' || value === 'once',
    'is not one of the choices',
    "Use 'retry' or 'once'.",
  ),
  random: SYNCHRONOUS,
  clock: A_CLOCK,
  unref: ruleOf((value) => typeof value === 'boolean', 'must be true or false', 'Leave it out for false.'),
  reportError: A_FUNCTION,
};

/** Every option of a call. */
export const OPTION_KEYS = Object.keys(OPTION_RULES) as readonly (keyof RetryOptions)[]; // the keys of a Record are its key type

/** Names of the same options in other libraries. */
const HABITS: Readonly<Record<string, string>> = {
  abortSignal: 'Use signal.',
  onFailedAttempt: 'Use onRetry.',
  onStop: 'Use onGiveUp.',
  retryResult: 'Use retryIfResult.',
};

/** Which options a function takes. */
export interface KnownOptions {
  readonly keys: readonly (keyof RetryOptions)[];
  /** Options of its own. */
  readonly others?: Readonly<Record<string, OptionRule>>;
  /** Its own cures for options that it does not take. */
  readonly cures?: Readonly<Record<string, string>>;
  /** The order of its arguments, for the cure of an option that belongs to the policy. */
  readonly order: string;
}

/** The order of the arguments of each function. */
const ORDERS = {
  withRetry: 'withRetry(fn, policy, options)',
  retry: 'retry(fn, policy, options)',
  tryRetry: 'tryRetry(fn, policy, options)',
  retryIterable: 'retryIterable(fn, policy, options)',
} as const;

/** The arguments of a call, not checked yet. */
export interface GivenCall {
  readonly fn: unknown;
  readonly policy: Policy | PolicyInput | undefined;
  readonly options: unknown;
}

const NO_OPTIONS = {};

/**
 * Checks the arguments of a call: the function, the policy and the options.
 *
 * @throws {InvalidOptionsError} listing every problem of all of them
 */
export function readCall(
  subject: keyof typeof ORDERS,
  { fn, policy, options = NO_OPTIONS }: GivenCall,
): Retried {
  const problems: Problem[] = [];
  const report: Report = (problem) => void problems.push(problem);
  const order = ORDERS[subject];
  if (typeof fn !== 'function') {
    report({ path: 'fn', value: fn, message: 'must be a function', cure: `The order is ${order}.` });
  }
  if (options !== NO_OPTIONS) checkOptions(options, { keys: keysOf(subject), order }, report);
  if (problems.length > 0) throw new InvalidOptionsError([...policyProblems(policy), ...problems], subject);
  return { fn: fn as Target, policy: definePolicy(policy), options: options as RetryOptions<never> }; // checked above
}

/** Reports every option that is unknown or wrong. */
export function checkOptions(options: unknown, known: KnownOptions, report: Report): void {
  const { keys, others = {} } = known;
  const names: readonly string[] = [...keys, ...Object.keys(others)];
  const onUnknown = (key: string, value: unknown) => ({
    message: isOfPolicy(key) ? 'belongs to the policy' : 'is not a known option',
    cure: cureFor(key, value, { ...known, names }),
  });
  const fields = readFields(options, '', { keys: names, report, onUnknown });
  if (fields === undefined) return;
  for (const key of keys) fields.optional(key, OPTION_RULES[key]);
  for (const [key, rule] of Object.entries(others)) fields.optional(key, rule);
}

/** `retryIterable` does not judge results: the first item of an iterable is none. */
function keysOf(subject: keyof typeof ORDERS): typeof OPTION_KEYS {
  return subject === 'retryIterable' ? OPTION_KEYS.filter((key) => key !== 'retryIfResult') : OPTION_KEYS;
}

function policyProblems(policy: GivenCall['policy']): readonly Problem[] {
  try {
    definePolicy(policy);
    return [];
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems;
    throw error;
  }
}

function cureFor(
  key: string,
  value: unknown,
  { names, order, cures = {} }: KnownOptions & { readonly names: readonly string[] },
): string {
  const inPolicy = `in the policy: ${order}`;
  if (isOfPolicy(key)) return `Write it ${inPolicy}.`;
  const own = ownCure(cures, key) ?? ownCure(HABITS, key);
  const cure = own ?? policyCure(key, value);
  if (cure === undefined) return `Known options are ${names.join(', ')}.`;
  return own ?? `${cure.slice(0, -1)}, ${inPolicy}.`;
}

function isOfPolicy(key: string): boolean {
  return POLICY_KEYS.some((own) => own === key);
}

/** Returns the policy's cure for a key that is a synonym of one of its own. */
function policyCure(key: string, value: unknown): string | undefined {
  let cure: string | undefined;
  const report: Report = (problem) => {
    cure = problem.cure;
  };
  readFields({ [key]: value }, '', { keys: POLICY_KEYS, report });
  return cure?.startsWith('Use ') ? cure : undefined;
}

function ownCure(cures: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(cures, key) ? cures[key] : undefined;
}
