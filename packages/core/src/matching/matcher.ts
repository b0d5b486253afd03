/** A class of errors; subclasses belong to it. */
// biome-ignore lint/suspicious/noExplicitAny: a constructor's parameters do not matter here, and `unknown` would refuse most classes.
export type ErrorClass = abstract new (...args: any) => object;

/** Says of any thrown value whether it is meant; must be synchronous. */
export type Predicate = (error: unknown) => boolean;

type OneOrMany<T> = T | readonly T[];

/** A description of errors as data. Every field given has to hold; a list means any of its entries. */
export interface ErrorPattern {
  /** `error.name`, or the name of a class the error is an instance of. */
  readonly name?: OneOrMany<string>;
  /** `error.code`; a trailing `*` stands for any ending: `'08*'`. */
  readonly code?: OneOrMany<string | number>;
  /** HTTP status, from `status`, `statusCode`, `response.status` or `$metadata.httpStatusCode`. */
  readonly status?: OneOrMany<number>;
  /** Found in the first 4096 characters of the error's message: a pattern, or text as it stands. */
  readonly message?: RegExp | string;
  /** The error, or its response, says when to come back: `readServerDelay` finds a delay. */
  readonly retryAfter?: true;
  /** One of the nearest thousand errors beneath it matches: through `cause` and `AggregateError.errors`. */
  readonly cause?: Matcher;
}

/** What a policy asks of an error: a class, a description, or a predicate. */
export type Matcher = ErrorClass | Predicate | ErrorPattern;

/** An {@link ErrorPattern} as people and JSON files write it. */
export interface ErrorPatternInput extends Omit<ErrorPattern, 'message' | 'cause'> {
  readonly message?: RegExp | string | { readonly pattern: string; readonly flags?: string };
  readonly cause?: MatcherInput;
}

/** A {@link Matcher} as people and JSON files write it. */
export type MatcherInput = ErrorClass | Predicate | ErrorPatternInput;
