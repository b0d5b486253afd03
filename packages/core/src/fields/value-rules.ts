import type { Clock } from '../clock.ts';

/** The rule of a value of any type. */
export interface ValueRule<T> {
  /** Whether the value is right. `optional` refuses a value for which it throws. */
  readonly accepts: (value: unknown) => value is T;
  /** What the value must be, as an error says it: `must be a function`. */
  readonly message: string;
  /** What to write instead. */
  readonly cure: string;
}

/** The rule of a duration. */
export interface DurationRule {
  /** `true`: `Infinity` is refused. @default false */
  readonly finite?: boolean;
  /** `true`: the time from now until an instant, so a number that is an instant itself is refused. @default false */
  readonly fromNow?: boolean;
  /** Is given milliseconds. @default any duration */
  readonly accepts?: (ms: number) => boolean;
  /** What the value must be, as an error says it. @default 'must be a duration ≥ 0', or a finite one */
  readonly message?: string;
}

/** The rule of a number. */
export interface NumberRule {
  /** Is given what is a number already, `NaN` and `Infinity` included. */
  readonly accepts: (value: number) => boolean;
  /** What the value must be, as an error says it: `must be an integer ≥ 1`. */
  readonly message: string;
  /** What to write instead. */
  readonly cure: string;
}

/** Accepts whole numbers from `least` on. */
export function integerFrom(least: number, cure: string): NumberRule {
  const accepts = (count: number): boolean => Number.isInteger(count) && count >= least;
  return { accepts, message: `must be an integer ≥ ${least}`, cure };
}

/** Accepts whole numbers from `least` to `most`. */
export function integerBetween(least: number, most: number, cure: string): NumberRule {
  const accepts = (count: number): boolean => Number.isInteger(count) && count >= least && count <= most;
  return { accepts, message: `must be an integer from ${least} to ${most}`, cure };
}

/** Accepts whole numbers from `least` on, and `Infinity`. */
export function countFrom(least: number, cure: string): NumberRule {
  const accepts = (count: number): boolean =>
    (Number.isInteger(count) && count >= least) || count === Infinity;
  return { accepts, message: `must be an integer ≥ ${least} or Infinity`, cure };
}

/** A share of something. */
export const A_SHARE: Omit<NumberRule, 'cure'> = {
  accepts: (value) => value >= 0 && value <= 1,
  message: 'must be a number from 0 to 1',
};

/** A number that is not negative, and has an end. */
export const FINITE_AT_LEAST_0: Omit<NumberRule, 'cure'> = {
  accepts: (value) => value >= 0 && value < Infinity,
  message: 'must be a finite number ≥ 0',
};

/** The members of an AbortSignal that are used; core does not depend on the types of a runtime. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
}

/** The rule of any function whose body runs when it is called. */
export const A_FUNCTION: ValueRule<(...parameters: never[]) => unknown> = {
  accepts: (value): value is (...parameters: never[]) => unknown =>
    typeof value === 'function' && !isGenerator(value),
  message: 'must be a function, and no generator',
  cure: 'Leave it out if you need none.',
};

/** Returns whether a value is an object with these methods. */
export function hasMethods(value: unknown, names: readonly string[]): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof value[name as keyof typeof value] === 'function')
  );
}

/** The rule of an AbortSignal of any realm. The usual mistake is to pass its controller. */
export const A_SIGNAL: ValueRule<AbortSignalLike> = {
  accepts: (value): value is AbortSignalLike =>
    hasMethods(value, ['addEventListener', 'removeEventListener']) && 'aborted' in value,
  message: 'must be an AbortSignal',
  cure: 'Pass the signal of an AbortController: controller.signal.',
};

/** The rule of a clock. */
export const A_CLOCK: ValueRule<Clock> = {
  accepts: (value): value is Clock =>
    hasMethods(value, ['now', 'setTimer']) &&
    ['undefined', 'function'].includes(typeof (value as Partial<Clock>).wallNow), // an object may have any property
  message: 'must be a clock',
  cure: 'It has now() and setTimer(): createClock(…) or createTestClock() makes one. Leave it out for the real one.',
};

/** The message for a function that returns a promise or an iterator where a synchronous answer is needed. */
export const MUST_BE_SYNCHRONOUS = 'must answer immediately, not by a promise';

/** The cure for such a function. */
export const ASYNC_CURE =
  'Ask in beforeRetry(event) of withRetry, which is awaited, or before the attempt ends.';

/**
 * Returns whether the function is `async` or a generator: its result is always truthy. A plain function that returns a
 * promise cannot be detected before it is called.
 */
export function isAsync(value: unknown): boolean {
  return isFunctionOf(/(Async|Generator)Function]/, value);
}

/** Returns whether the function is a generator: to call it runs nothing of its body. */
export function isGenerator(value: unknown): boolean {
  return isFunctionOf(/GeneratorFunction]/, value);
}

function isFunctionOf(kind: RegExp, value: unknown): boolean {
  return typeof value === 'function' && kind.test(Object.prototype.toString.call(value));
}

/** Returns whether the value is a function that is neither `async` nor a generator. */
export function isSynchronous(value: unknown): boolean {
  return typeof value === 'function' && !isAsync(value);
}

/** Returns whether the rule accepts the value; `false` if reading the value throws. */
export function accepted(accepts: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return accepts(value);
  } catch {
    return false;
  }
}
