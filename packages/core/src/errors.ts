import { read } from './read.ts';
import { HIDDEN, hideSecretOf, hideSecrets, print, show } from './show.ts';

/** Stable machine-readable names of the errors that core throws; each other package has its own beside them. */
export type RetryErrorCode =
  | 'NON_RETRYABLE'
  | 'RETRY_AFTER'
  | 'ATTEMPT_TIMEOUT'
  | 'TOTAL_TIMEOUT'
  | 'ASYNC_GATE'
  | 'INVALID_OPTIONS';

const BRAND: unique symbol = Symbol.for('@retry/error');

/**
 * The base of every error that this project throws: `code` is stable and for programs, `message` is for people.
 *
 * @typeParam Code - the codes that the error may have
 */
export class RetryError<Code extends string = string> extends Error {
  override readonly name: string = 'RetryError';
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Returns whether this project made the error, whichever copy of the package it was.
 *
 * @param code - when given, whether the error has this code, too
 */
export function isRetryError<Code extends string = string>(
  error: unknown,
  code?: Code,
): error is RetryError<Code> {
  return read(error, BRAND) === true && (code === undefined || read(error, 'code') === code);
}

/** One thing that is wrong with what was given: where it stands, what was seen, what to write instead. */
export interface Problem {
  /** Where, as it would be written in code: `backoff.base`, `retryOn[2].code`; `''` is the whole. */
  readonly path: string;
  readonly value: unknown;
  /** What it has to be: `must be an integer ≥ 1`. */
  readonly message: string;
  readonly cure: string;
}

/**
 * Wrong options or arguments. `problems` lists everything that is wrong, not only the first thing. Errors are printed:
 * passwords of URLs, and what is called one, are hidden, in `problems` too.
 */
export class InvalidOptionsError extends RetryError<'INVALID_OPTIONS'> {
  override readonly name: string = 'InvalidOptionsError';
  readonly problems: readonly Problem[];

  /** @param subject - what the options are of: `policy`, `task`, `worker`, `submit` */
  constructor(problems: readonly Problem[], subject = 'policy') {
    const shown = problems.map(withoutSecrets);
    super(
      'INVALID_OPTIONS',
      [`invalid ${subject}`, ...shown.map((problem) => problemLine(problem, subject))].join('\n- '),
    );
    this.problems = shown;
  }
}

function withoutSecrets(problem: Problem): Problem {
  const { path, value } = problem;
  return { ...problem, path: hideSecrets(path), value: shownValue(path, value) };
}

/** The value itself, unless anything in it is hidden: then as it is printed. */
function shownValue(path: string, value: unknown): unknown {
  if (typeof value !== 'object') return hideSecretOf(path, value);
  const printed = print(value);
  return printed.includes(HIDDEN) ? printed : value;
}

function problemLine({ path, value, message, cure }: Problem, subject: string): string {
  return `${path === '' ? `the ${subject}` : path} ${message}, got ${show(value)}. ${cure}`;
}
