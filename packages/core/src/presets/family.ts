import type { ErrorPattern, MessageGlob } from '../matching/matcher.ts';

/** The errors of one family of clients that may pass: a list for `retryOn`, and its two halves. */
export interface ErrorFamily extends ReadonlyArray<ErrorPattern> {
  /** Nothing was applied, or everything was rolled back: the call, or the whole transaction, may be repeated. */
  readonly notApplied: readonly ErrorPattern[];
  /** What was sent may have been applied: only what is idempotent may be repeated. A policy with `idempotent: false` leaves it out. */
  readonly ambiguous: readonly ErrorPattern[];
}

/** The patterns of a family, each tried on the error and on its causes. */
interface Halves {
  readonly notApplied: readonly ErrorPattern[];
  readonly ambiguous: readonly ErrorPattern[];
  /** Errors that never pass: where one is in the error or its causes, no pattern of the family matches. */
  readonly unless?: readonly ErrorPattern[];
  /** Errors after which nothing was applied, although one inside them looks as if something was. */
  readonly notAmbiguous?: readonly ErrorPattern[];
  /** Errors of several operations in one call: where one of them was not applied, others may have been. */
  readonly ofSeveral?: readonly ErrorPattern[];
}

/** Makes a family of its halves. */
export function family({
  notApplied,
  ambiguous,
  unless = [],
  notAmbiguous = [],
  ofSeveral = [],
}: Halves): ErrorFamily {
  const partlyApplied = ofSeveral.map((pattern) => ({ ...pattern, anywhere: notApplied }));
  return joined(half(notApplied, [...unless, ...ofSeveral]), [
    ...half(ambiguous, [...unless, ...notAmbiguous], true),
    ...half(partlyApplied, unless, true),
  ]);
}

/** Joins the two halves to a family. */
export function joined(notApplied: readonly ErrorPattern[], ambiguous: readonly ErrorPattern[]): ErrorFamily {
  const halves = { notApplied, ambiguous: Object.freeze(ambiguous) };
  return Object.freeze(Object.assign([...notApplied, ...ambiguous], halves));
}

/** Returns a pattern that matches where any of the patterns does, in a list; an empty one for none. */
function half(
  patterns: readonly ErrorPattern[],
  unless: readonly ErrorPattern[],
  ambiguous?: true,
): readonly ErrorPattern[] {
  if (patterns.length === 0) return Object.freeze([]);
  const veto = unless.length > 0 && { unless };
  return Object.freeze([Object.freeze({ anywhere: patterns, ...veto, ...(ambiguous && { ambiguous }) })]);
}

/** Returns globs of whole messages. */
export function globs(...texts: readonly string[]): readonly MessageGlob[] {
  return texts.map((glob) => ({ glob }));
}

/** Returns globs of whole messages in which upper and lower case are the same. */
export function globsOfAnyCase(...texts: readonly string[]): readonly MessageGlob[] {
  return texts.map((glob) => ({ glob, ignoreCase: true }));
}

/** Returns what Prisma writes where it keeps the code of the database in the text alone. */
export function codesInText(codes: readonly (string | number)[]): ErrorPattern {
  return { code: ['P2010', 'P2039'], message: codes.map((code) => `Code: \`${code}\``) };
}

/** Returns globs of messages that end with a text: pools, knex and other wrappers write theirs before it. */
export function endings(...texts: readonly string[]): readonly MessageGlob[] {
  return texts.flatMap((text) => [{ glob: text }, { glob: `*- ${text}` }, { glob: `*: ${text}` }]);
}
