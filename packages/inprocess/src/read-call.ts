import type { Policy, PolicyInput, Problem } from '@retry/core';
import { definePolicy, InvalidOptionsError } from '@retry/core';
import type { Report } from '@retry/core/fields';
import { checkOptions, OPTION_KEYS } from './check-options.ts';
import type { RetryOptions } from './options.ts';
import type { Retried, Target } from './plan.ts';

/** The order of the arguments of each function. */
const ORDERS = {
  withRetry: 'withRetry(fn, policy, options)',
  retry: 'retry(fn, policy, options)',
  tryRetry: 'tryRetry(fn, policy, options)',
  retryIterable: 'retryIterable(fn, policy, options)',
} as const;

/** What a caller gave; nothing of it is known to be right. */
export interface GivenCall {
  readonly fn: unknown;
  readonly policy: Policy | PolicyInput | undefined;
  readonly options: unknown;
}

const NO_OPTIONS = {};

/**
 * Checks what a function under retry was given: the function, the policy and the options.
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

/** The first item of an iterable is no result to be judged. */
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
