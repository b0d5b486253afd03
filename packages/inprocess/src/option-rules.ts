import { A_FUNCTION, A_SIGNAL, isSynchronous } from '@retry/core/fields';
import type { RetryOptions } from './options.ts';

/** What a value has to be. */
export interface OptionRule {
  readonly accepts: (value: unknown) => value is unknown;
  readonly message: string;
  readonly cure: string;
}

/** A function that must answer at once: an async one answers with a promise, which always counts as a yes. */
export const SYNCHRONOUS: OptionRule = ruleOf(
  isSynchronous,
  'must be a function that answers at once, not an async one',
  'Await before it is asked: in the function, or in beforeRetry.',
);

export const A_CLOCK: OptionRule = ruleOf(
  (value) => hasMethods(value, ['now', 'setTimer']),
  'must be a clock',
  'It has now() and setTimer(callback, delayMs): createClock(…) or createTestClock() makes one.',
);

/** One rule for each option of a call. */
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
    'Use the ctx that the outer function, or the handler, was given.',
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

/** A rule that `accepts` alone decides. */
export function ruleOf(accepts: (value: unknown) => boolean, message: string, cure: string): OptionRule {
  return { accepts: (value): value is unknown => accepts(value), message, cure };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function');
}
