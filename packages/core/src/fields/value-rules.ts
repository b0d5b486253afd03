/** Rules of values that many options share. */
/** What a value has to be, whatever its type. */
export interface ValueRule<T> {
  readonly accepts: (value: unknown) => value is T;
  readonly message: string;
  readonly cure: string;
}

/** Which durations an option takes. */
export interface DurationRule {
  /** Whether `Infinity` is a length of time here. */
  readonly finite?: boolean;
  readonly accepts?: (ms: number) => boolean;
  readonly message?: string;
}

/** Which numbers an option takes. */
export interface NumberRule {
  readonly accepts: (value: number) => boolean;
  readonly message: string;
  readonly cure: string;
}

/** Accepts whole numbers from `least` on. */
export function integerFrom(least: number, cure: string): NumberRule {
  const accepts = (count: number): boolean => Number.isInteger(count) && count >= least;
  return { accepts, message: `must be an integer ≥ ${least}`, cure };
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

/** The part of an AbortSignal that we need; core names no runtime's types. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
}

/** Any function. */
export const A_FUNCTION: ValueRule<(...parameters: never[]) => unknown> = {
  accepts: (value): value is (...parameters: never[]) => unknown => typeof value === 'function',
  message: 'must be a function',
  cure: 'Leave it out if you need none.',
};

/** An AbortSignal of any realm; a controller is the usual mistake. */
export const A_SIGNAL: ValueRule<AbortSignalLike> = {
  accepts: (value): value is AbortSignalLike =>
    typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
  message: 'must be an AbortSignal',
  cure: 'Of an AbortController, give its signal: controller.signal.',
};

/** What is wrong with a function of the user's that answers by a promise, or by an iterator. */
export const MUST_BE_SYNCHRONOUS = 'must answer at once, not by a promise';

/** What to do instead. */
export const ASYNC_CURE =
  'Ask in beforeRetry(event) of withRetry, which is awaited, or before the attempt ends.';

const ASYNC_TAGS: readonly string[] = [
  '[object AsyncFunction]',
  '[object AsyncGeneratorFunction]',
  '[object GeneratorFunction]',
];

/**
 * Whether the function is written as `async` or as a generator, whose answer is always true. A function that only
 * returns a promise is not known before it is called.
 */
export function isAsync(value: unknown): boolean {
  return typeof value === 'function' && ASYNC_TAGS.includes(Object.prototype.toString.call(value));
}

/** Whether the value is a function that answers at once, as far as that can be seen. */
export function isSynchronous(value: unknown): boolean {
  return typeof value === 'function' && !isAsync(value);
}

/** A value that throws when it is looked at is none that a rule accepts. */
export function accepted(accepts: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return accepts(value);
  } catch {
    return false;
  }
}
