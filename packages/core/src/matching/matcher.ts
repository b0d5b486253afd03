/** A class of errors. It matches the errors of its subclasses, too. */
export type ErrorClass = OpenClass | ClosedClass;

// biome-ignore lint/suspicious/noExplicitAny: a constructor's parameters do not matter here, and `unknown` would refuse most classes.
type OpenClass = abstract new (...args: any) => object;

/**
 * A class with a private or protected constructor, which is assignable to no type that has a constructor. No function is assignable
 * to it: the types of `call` and `apply` differ.
 */
type ClosedClass = NewableFunction & { readonly prototype: object };

/** Returns whether a thrown value matches; must be synchronous. */
export type Predicate = (error: unknown) => boolean;

type OneOrMany<T> = T | readonly T[];

/** A description of errors as data. Every given field must match; a list matches if any of its entries does. */
export interface ErrorPattern {
  /** `error.name`, or the name of a class that the error is an instance of. */
  readonly name?: OneOrMany<string> | undefined;
  /** `error.code`; a trailing `*` matches any ending: `'08*'`. */
  readonly code?: OneOrMany<string | number> | undefined;
  /** HTTP status, from `status`, `statusCode`, `response.status` or `$metadata.httpStatusCode`. */
  readonly status?: OneOrMany<number> | undefined;
  /** Matches the first 4096 characters of the error's message: a regular expression, or text that it contains. */
  readonly message?: RegExp | string | undefined;
  /**
   * The error or its response asks for a delay that can be read. No clock is asked: a date counts also after it has passed, except
   * when the response's own `Date` says that it was over when it was sent.
   */
  readonly retryAfter?: true | undefined;
  /** One of its causes matches, through `cause` and `AggregateError.errors`; at most the nearest 1000 are read. */
  readonly cause?: Matcher | undefined;
}

/** Selects errors: a class, a description, or a predicate. */
export type Matcher = ErrorClass | Predicate | ErrorPattern;

/** An {@link ErrorPattern} as people and JSON files write it. */
export interface ErrorPatternInput extends Omit<ErrorPattern, 'message' | 'cause'> {
  /** As in a pattern; `{ pattern, flags }` is a regular expression in JSON, of at most 1 000 characters. */
  readonly message?:
    | RegExp
    | string
    | { readonly pattern: string; readonly flags?: string | undefined }
    | undefined;
  /** One of its causes matches, as in a pattern. */
  readonly cause?: MatcherInput | undefined;
}

/** A {@link Matcher} as people and JSON files write it. */
export type MatcherInput = ErrorClass | Predicate | ErrorPatternInput;
