import type { Policy, PolicyInput, Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import type { Report } from '@retry/core/fields';
import {
  A_FUNCTION,
  A_SIGNAL,
  definePlainPolicy,
  hasMethods,
  readFields,
  settingsOf,
} from '@retry/core/fields';
import type { OptionRule } from './option-rules.ts';
import { A_CLOCK, isObject, ruleOf, SYNCHRONOUS } from './option-rules.ts';
import type { RetryOptions } from './options.ts';
import type { Retried, Target } from './plan.ts';

/** The rule of each option that a function takes. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

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
  circuitBreaker: ruleOf(
    (value) => hasMethods(value, ['permit']),
    'must be a circuit breaker',
    'Use createCircuitBreaker({ … }).',
  ),
  group: ruleOf(
    (value) => hasMethods(value, ['enter', 'leave', 'park']),
    'must be a retry group',
    'Use createRetryGroup().',
  ),
  parent: ruleOf(
    (value) =>
      isObject(value) &&
      ['maxAttempts', 'remainingMs'].every((key) => typeof Reflect.get(value, key) === 'number') &&
      A_SIGNAL.accepts(Reflect.get(value, 'signal')),
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

/** Names of the same options in other libraries. */
const CURES: Readonly<Record<string, string>> = {
  abortSignal: 'Use signal.',
  onFailedAttempt: 'Use onRetry.',
  onStop: 'Use onGiveUp.',
  retryResult: 'Use retryIfResult.',
};

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
  subject: 'withRetry' | 'retry' | 'tryRetry' | 'retryIterable',
  { fn, policy, options = NO_OPTIONS }: GivenCall,
  rules: OptionRules = OPTION_RULES,
): Retried {
  const problems: Problem[] = [];
  const report: Report = (problem) => void problems.push(problem);
  const order = `${subject}(fn, policy, options)`;
  if (typeof fn !== 'function') {
    report({ path: 'fn', value: fn, message: 'must be a function', cure: `The order is ${order}.` });
  }
  if (options !== NO_OPTIONS) checkOptions(options, rules, { order, report });
  if (problems.length > 0) throw new InvalidOptionsError([...policyProblems(policy), ...problems], subject);
  return {
    fn: fn as Target,
    policy: settingsOf(definePlainPolicy(policy)),
    options: options as RetryOptions<never>,
  }; // checked above
}

/** Where an option is written, and where its problems are reported. */
interface OptionsOf {
  /** The order of the arguments, for the cure of an option that belongs to the policy. */
  readonly order: string;
  /** Its own cures for options that it does not take. */
  readonly cures?: Readonly<Record<string, string>>;
  readonly report: Report;
}

/** Reports every option that is unknown or wrong. */
export function checkOptions(
  options: unknown,
  rules: OptionRules,
  { order, cures, report }: OptionsOf,
): void {
  if (areRight(options, rules)) return;
  const known = { keys: Object.keys(rules), cures: { ...CURES, ...cures }, order, report };
  const fields = readFields(options, '', known);
  for (const [key, rule] of Object.entries(rules)) fields?.optional(key, rule);
}

/** Whether nothing is wrong with options of the usual kind: most have nothing, and each call of `retry` asks. */
function areRight(options: unknown, rules: OptionRules): boolean {
  try {
    if (Object.getPrototypeOf(options) !== Object.prototype) return false;
    return Reflect.ownKeys(Object(options)).every((key) => {
      const value: unknown = Reflect.get(Object(options), key);
      Array.isArray(value); // throws for a revoked Proxy, as any later use of it would
      return Object.hasOwn(rules, key) && (value === undefined || rules[String(key)]?.accepts(value));
    });
  } catch {
    return false;
  }
}

function policyProblems(policy: GivenCall['policy']): readonly Problem[] {
  try {
    definePlainPolicy(policy);
    return [];
  } catch (error) {
    return (error as InvalidOptionsError).problems; // it throws nothing else
  }
}
