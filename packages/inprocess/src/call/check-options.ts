import type { Policy, PolicyInput, Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import type { Report } from '@retry/core/fields';
import {
  A_CLOCK,
  A_FUNCTION,
  A_SIGNAL,
  definePlainPolicy,
  hasMethods,
  isGenerator,
  read,
  readFields,
  settingsOf,
} from '@retry/core/fields';
import type { OptionRule } from './option-rules.ts';
import { ruleOf, SYNCHRONOUS } from './option-rules.ts';
import type { RetryOptions } from './options.ts';
import type { Retried, Target } from './plan.ts';

/** The rule of each option that a function takes. */
type OptionRules = Readonly<Record<string, OptionRule>>;

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
      ['maxAttempts', 'remainingMs'].every((key) => typeof read(value, key) === 'number') &&
      A_SIGNAL.accepts(read(value, 'signal')),
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

/** Returns the rules of a function that takes all options of a call but these. */
export function rulesWithout(...left: readonly (keyof RetryOptions)[]): OptionRules {
  const entries = Object.entries(OPTION_RULES).filter(([key]) => !left.some((name) => name === key));
  return Object.fromEntries(entries);
}

/** Names of the same options in other libraries. */
const CURES: Readonly<Record<string, string>> = {
  abortSignal: 'Use signal.',
  onFailedAttempt: 'Use onRetry.',
  onStop: 'Use onGiveUp.',
};

/** The arguments of a call, not checked yet. */
interface GivenCall {
  readonly fn: unknown;
  readonly policy: Policy | PolicyInput | undefined;
  readonly options: unknown;
}

const NO_OPTIONS = {};

/**
 * Checks the arguments of a call: the function, the policy and the options.
 *
 * @param order - the arguments as they are written, for the cure of an option that belongs to the policy
 * @throws {InvalidOptionsError} listing every problem of all of them
 */
export function readCall(
  subject: 'withRetry' | 'retry' | 'tryRetry' | 'retryIterable' | 'retrying',
  { fn, policy, options = NO_OPTIONS }: GivenCall,
  rules: OptionRules = OPTION_RULES,
  order: string = `${subject}(fn, policy, options)`,
): Retried {
  const problems: Problem[] = [];
  const report: Report = (problem) => void problems.push(problem);
  if (typeof fn !== 'function') {
    const isStarted = typeof read(fn, 'then') === 'function';
    const cure = isStarted ? 'It runs already: use () => fetch(url).' : `The order is ${order}.`;
    report({ path: 'fn', value: fn, message: 'must be a function', cure });
  }
  // Nothing of its body would run, so nothing would be retried.
  if (subject !== 'retryIterable' && isGenerator(fn))
    report({ path: 'fn', value: fn, message: 'must not be a generator', cure: 'Use retryIterable.' });
  const checked = options === NO_OPTIONS ? NO_OPTIONS : readOptions(options, rules, { order, report });
  if (problems.length > 0)
    throw new InvalidOptionsError([...policyProblems(policy).map(named('policy')), ...problems], subject);
  return {
    fn: fn as Target,
    policy: settingsOf(definePlainPolicy(policy)),
    options: checked as RetryOptions<never>,
  }; // checked above
}

/** Gives a problem of a whole argument the path of that argument. */
function named(argument: string): (problem: Problem) => Problem {
  return (problem) => (problem.path === '' ? { ...problem, path: argument } : problem);
}

/** Where an option is written, and where its problems are reported. */
interface OptionsOf {
  /** The order of the arguments, for the cure of an option that belongs to the policy. */
  readonly order: string;
  /** What is said of options that the function does not take. */
  readonly cures?: Readonly<Record<string, string>>;
  readonly report: Report;
}

/**
 * Returns the options as they are now: what the caller does to the object later is not checked, and changes nothing. Reports every
 * one that is unknown or wrong.
 */
export function readOptions(
  options: unknown,
  rules: OptionRules,
  { order, cures, report }: OptionsOf,
): object {
  const usual = usualOptions(options, rules);
  if (usual !== undefined) return usual;
  const whole = named('options');
  const known = {
    ...{ keys: Object.keys(rules), cures: { ...CURES, ...cures }, order },
    report: (problem: Problem) => report(whole(problem)),
  };
  const fields = readFields(options, '', known);
  const values = Object.entries(rules).map(([key, rule]) => [key, fields?.optional(key, rule)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Returns a copy of options of the usual kind, if nothing is wrong with them: most have nothing, and each call of `retry` asks. */
function usualOptions(options: unknown, rules: OptionRules): object | undefined {
  try {
    if (Object.getPrototypeOf(options) !== Object.prototype) return undefined;
    const copy = { ...Object(options) };
    // Keys that are not enumerable are not copied.
    const areRight = Reflect.ownKeys(Object(options)).every((key) => {
      const value: unknown = copy[key];
      Array.isArray(value); // throws for a revoked Proxy, as any later use of it would
      const isKnown = Object.hasOwn(rules, key) && Object.hasOwn(copy, key);
      return isKnown && (value === undefined || rules[String(key)]?.accepts(value));
    });
    return areRight ? copy : undefined;
  } catch {
    return undefined;
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
