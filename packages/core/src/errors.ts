import { read } from './read.ts';
import { HIDDEN } from './secret-names.ts';
import { hidePasswordOf, hidePasswords, LEFT_OUT, print, show } from './show.ts';

/** Codes of the errors that core throws; each other package has its own codes in addition. */
export type RetryErrorCode =
  | 'NON_RETRYABLE'
  | 'RETRY_AFTER'
  | 'ATTEMPT_TIMEOUT'
  | 'TOTAL_TIMEOUT'
  | 'ASYNC_GATE'
  | 'STRATEGY_STOPPED'
  | 'SIMULATION_TOO_LARGE'
  | 'INVALID_OPTIONS';

const BRAND: unique symbol = Symbol.for('@retry/error');

/**
 * The base class of all errors of these packages. Programs test `code`, which is stable; `message` may change.
 *
 * @typeParam Code - the codes that the error may have
 */
export class RetryError<Code extends string = string> extends Error {
  /** The name of the class. */
  override readonly name: string = 'RetryError';
  /** Stable: what programs test. */
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Returns whether the value is an error of these packages, also one of another copy of a package.
 *
 * @param code - when given, whether the error has this code, too
 */
export function isRetryError<Code extends string = string>(
  error: unknown,
  code?: Code,
): error is RetryError<Code> {
  return read(error, BRAND) === true && (code === undefined || read(error, 'code') === code);
}

/** One problem of wrong input: its path, the value, and what to write instead. */
export interface Problem {
  /** The path as written in code: `backoff.base`, `retryOn[2].code`; `''` is the whole input. */
  readonly path: string;
  /**
   * What was given; of a text at most the first 500 characters. An object whose text is longer, has a password or cannot be printed is
   * there as the beginning of that text.
   */
  readonly value: unknown;
  /** What is wrong: `must be an integer ≥ 1`. */
  readonly message: string;
  /** What to write instead. */
  readonly cure: string;
}

/**
 * Thrown for wrong options or arguments. `problems` lists every problem, `message` too, up to the first 100. Passwords (in URLs, and
 * values of keys like `password` or `token`) are hidden in `message` and `problems`, because errors get logged.
 */
export class InvalidOptionsError extends RetryError<'INVALID_OPTIONS'> {
  override readonly name: string = 'InvalidOptionsError';
  /** The problems in the order in which they were found, at most the first 100; passwords in values are hidden. */
  readonly problems: readonly Problem[];

  /** @param subject - what the options are of: `policy`, `task`, `worker`, `submit` */
  constructor(problems: readonly Problem[], subject = 'policy') {
    const first = problems.slice(0, MAX_PROBLEMS);
    const lines = first.map((problem) => problemLine(problem, subject));
    if (problems.length > MAX_PROBLEMS) lines.push(`and ${problems.length - MAX_PROBLEMS} more`);
    super('INVALID_OPTIONS', [`invalid ${subject}`, ...lines].join('\n- '));
    this.problems = first.map(withoutSecrets);
  }
}

/** How many problems an error has: printing a hundred thousand of them takes seconds. */
const MAX_PROBLEMS = 100;

/** How much of a path a message shows. */
const MAX_PATH_LENGTH = 200;

function withoutSecrets(problem: Problem): Problem {
  const { path, value } = problem;
  return { ...problem, path: hidePasswords(path), value: shownValue(path, value) };
}

/** How much of the text of a value an error keeps: an uncaught one is printed whole, and loggers write all of it. */
const MAX_VALUE_LENGTH = 500;

/**
 * Returns the value itself, of a text only the beginning. An object becomes the beginning of its printed text if a part of it had to be
 * hidden, if it is long, or if it cannot be printed, as a client that contains itself: which passwords are in it is unknown.
 */
function shownValue(path: string, value: unknown): unknown {
  const shown = hidePasswordOf(path, value);
  if (typeof shown === 'string') return shown.slice(0, MAX_VALUE_LENGTH);
  if (typeof shown !== 'object') return shown;
  const printed = print(value);
  const isShort = printed.length <= MAX_VALUE_LENGTH && printed !== typeof value;
  const isWhole = isShort && !printed.includes(HIDDEN) && !printed.includes(LEFT_OUT);
  return isWhole ? value : printed.slice(0, MAX_VALUE_LENGTH);
}

function problemLine({ path, value, message, cure }: Problem, subject: string): string {
  const where = path === '' ? `the ${subject}` : hidePasswords(path).slice(0, MAX_PATH_LENGTH);
  return `${where} ${message}, got ${show(hidePasswordOf(path, value))}. ${cure}`;
}
