import { isSynchronous } from '@retry/core/fields';

/** What a value of an option must be. */
export interface OptionRule {
  readonly accepts: (value: unknown) => value is unknown;
  readonly message: string;
  readonly cure: string;
}

/** A function that must return its answer, not a promise: a promise is truthy, whatever it resolves with. */
export const SYNCHRONOUS: OptionRule = ruleOf(
  isSynchronous,
  'must be a synchronous function',
  'Await before it is called: in the function, or in beforeRetry.',
);

/** Creates a rule of a predicate. */
export function ruleOf(accepts: (value: unknown) => boolean, message: string, cure: string): OptionRule {
  return { accepts: (value): value is unknown => accepts(value), message, cure };
}
