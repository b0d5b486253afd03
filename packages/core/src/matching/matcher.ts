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

/** Describes a whole message, in time that grows with its length alone. */
export interface MessageGlob {
  /** Each `*` matches any text, also none: `'timed out*'` matches messages that begin with it. */
  readonly glob: string;
  /** Globs of messages that do not match nevertheless. */
  readonly except?: OneOrMany<string> | undefined;
  /** Upper and lower case are the same. */
  readonly ignoreCase?: true | undefined;
}

/** A description of errors as data. Every given field must match; a list matches if any of its entries does. */
export interface ErrorPattern {
  /** `error.name`, or the name of a class that the error is an instance of; a `*` matches any text: `'*TimeoutError'`. */
  readonly name?: OneOrMany<string> | undefined;
  /** `error.code`, or `originalCode` of Prisma; a `*` matches any text: `'08*'`. */
  readonly code?: OneOrMany<string | number> | undefined;
  /** `error.errno` of the system or of MySQL, or `errcode` of SQLite. */
  readonly errno?: OneOrMany<string | number> | undefined;
  /** `error.sqlState`: the SQLSTATE that drivers of MySQL keep beside their code; a `*` matches any text. */
  readonly sqlState?: OneOrMany<string> | undefined;
  /** HTTP status: of the error, or of its response wherever clients keep it. */
  readonly status?: OneOrMany<number> | undefined;
  /**
   * Matches the first 4096 characters of the error's message: text that it contains, a glob, or in code a regular expression. A policy
   * as data has none, because one that backtracks blocks every process that matches it.
   */
  readonly message?: OneOrMany<RegExp | string | MessageGlob> | undefined;
  /**
   * The error or its response asks for a delay that can be read. No clock is asked: a date counts also after it has passed, except
   * when the response's own `Date` says that it was over when it was sent.
   */
  readonly retryAfter?: true | undefined;
  /** A label of MongoDB: `'TransientTransactionError'`. */
  readonly label?: OneOrMany<string> | undefined;
  /** The error, or the response it came with, says itself that a retry may succeed: `isRetryable`, `x-should-retry: true`, … */
  readonly retryable?: true | undefined;
  /**
   * One of its causes matches: through `cause`, `AggregateError.errors`, both errors of a `SuppressedError`, and any own property that
   * holds an error; at most 1000.
   */
  readonly cause?: Matcher | undefined;
  /** The error itself or one of its causes matches; of a list, any of the matchers. */
  readonly anywhere?: OneOrMany<Matcher> | undefined;
  /** Neither the error itself nor any of its causes matches; of a list, none of the matchers. */
  readonly unless?: OneOrMany<Matcher> | undefined;
  /** What was sent may have been applied: in `retryOn` of a policy with `idempotent: false`, such errors are not expected. */
  readonly ambiguous?: true | undefined;
}

/** Selects errors: a class, a description, or a predicate. */
export type Matcher = ErrorClass | Predicate | ErrorPattern;

/** Returns the matchers inside a pattern, each with its path: `cause`, `anywhere[1]`, `unless`. */
export function innerMatchers({
  cause,
  anywhere,
  unless,
}: ErrorPattern): readonly (readonly [path: string, matcher: Matcher])[] {
  return [
    ...(cause === undefined ? [] : [['cause', cause] as const]),
    ...withPaths('anywhere', anywhere),
    ...withPaths('unless', unless),
  ];
}

function withPaths(
  key: string,
  matchers: OneOrMany<Matcher> | undefined,
): readonly (readonly [path: string, matcher: Matcher])[] {
  if (matchers === undefined) return [];
  // `Array.isArray` does not narrow a readonly array, hence the assertions.
  if (!Array.isArray(matchers)) return [[key, matchers as Matcher]];
  return (matchers as readonly Matcher[]).map((matcher, index) => [`${key}[${index}]`, matcher]);
}
