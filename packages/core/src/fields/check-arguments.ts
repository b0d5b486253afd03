import type { Problem } from '../errors.ts';
import { InvalidOptionsError } from '../errors.ts';
import { isListOf } from '../read.ts';
import { useOneOf } from './cures.ts';
import { accepted } from './value-rules.ts';

/** What an argument must be. */
export interface ArgumentRule {
  readonly accepts: (value: unknown) => boolean;
  readonly message: string;
  readonly cure: string;
}

/** An argument, or a part of it that is read, by its path. */
export type Arguments = Readonly<Record<string, readonly [value: unknown, rule: ArgumentRule]>>;

/** An instant, by any clock: `NaN` is that of a broken one, and no time has passed by it. */
export const AN_INSTANT: ArgumentRule = {
  accepts: (value) => typeof value === 'number',
  message: 'must be a number of epoch milliseconds',
  cure: 'Use Date.now().',
};

/** The delay before the latest retry. */
export const A_DELAY: ArgumentRule = {
  accepts: (value) => typeof value === 'number',
  message: 'must be a number of milliseconds',
  cure: 'Use the delayMs of the decision before.',
};

/** Returns whether the value is a number; `NaN` is none. */
export function isNumber(value: unknown): value is number {
  // biome-ignore lint/suspicious/noSelfCompare: only NaN is not equal to itself, and this is the fastest test
  return typeof value === 'number' && value === value;
}

/** Returns whether the value is a list of numbers. */
export function areNumbers(value: unknown): boolean {
  return isListOf(value, isNumber);
}

/** Returns the rule of an argument that may be left out. */
export function optional({ accepts, message, cure }: ArgumentRule): ArgumentRule {
  return { accepts: (value) => value === undefined || accepts(value), message, cure };
}

/**
 * Checks the arguments of a function that takes no options. Functions that are called for every attempt compare the few values
 * that would be wrong by themselves, and call this one only for the error.
 *
 * @throws {InvalidOptionsError} listing every wrong argument
 */
export function checkArguments(subject: string, given: Arguments): void {
  const problems = Object.entries(given).flatMap(([path, [value, rule]]): readonly Problem[] => {
    const { accepts, message, cure } = rule;
    return accepted(accepts, value) ? [] : [{ path, value, message, cure }];
  });
  if (problems.length > 0) throw new InvalidOptionsError(problems, subject);
}

/** Returns the rule of a value that is one of the choices. */
export function oneOf(choices: readonly unknown[]): ArgumentRule {
  const accepts = (value: unknown): boolean => choices.includes(value);
  return { accepts, message: 'is not one of the choices', cure: useOneOf(choices) };
}
