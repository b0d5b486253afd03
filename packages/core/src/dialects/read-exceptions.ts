import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import type { Matcher } from '../matching/matcher.ts';
import { readMatchers } from '../policy/read-rules.ts';
import { isUnset } from './read-options.ts';

/** An exception in a dialect's list: a class, its name, a pattern or a predicate. */
export type ExceptionLike = string | Matcher;

/** Matches timeouts: our own, and those of Python and of the web platform. */
export const TIMEOUTS: Matcher = Object.freeze({
  name: Object.freeze(['AttemptTimeoutError', 'TimeoutError']),
});

/**
 * Reads a list of exceptions; names become patterns. Nested lists are flattened, as Ruby flattens the list of a `rescue`
 * and Python nested tuples. Empty if the option is unset.
 */
export function readExceptions(fields: Fields, key: string, report: Report): readonly Matcher[] {
  return readListed(fields, { key, given: fields.value(key) }, report);
}

/** The limit of nested lists: a list may contain itself. */
const MAX_DEPTH = 8;

/** Reads a list of exceptions and lists, nested at most `MAX_DEPTH` deep. */
export function readNestedExceptions(fields: Fields, key: string, report: Report): readonly Matcher[] {
  const given = fields.value(key);
  if (!Array.isArray(given)) return readListed(fields, { key, given }, report);
  const flat: readonly unknown[] = given.flat(MAX_DEPTH);
  return readListed(fields, { key, given: flat.map((item) => (Array.isArray(item) ? null : item)) }, report);
}

function readListed(
  fields: Fields,
  { key, given }: { readonly key: string; readonly given: unknown },
  report: Report,
): readonly Matcher[] {
  if (isUnset(given)) return [];
  const matchers = Array.isArray(given) ? given.flat(Infinity).map(patternOf) : given;
  const prefix = fields.path(key).slice(0, -key.length);
  const reportPrefixed: Report = (problem) => report({ ...problem, path: prefix + problem.path });
  const named = readFields({ [key]: matchers }, '', { keys: [key], report: reportPrefixed });
  return (named && readMatchers(named, key, reportPrefixed)) ?? [];
}

/** Returns whether the list names timeouts, and not only a superclass of theirs. */
export function listsTimeouts(matchers: readonly Matcher[]): boolean {
  return matchers.some((matcher) => {
    const name: unknown = matcher.name;
    return (Array.isArray(name) ? name : [name]).some(isTimeoutName);
  });
}

function isTimeoutName(name: unknown): boolean {
  return name === 'TimeoutError' || name === 'AttemptTimeoutError';
}

function patternOf(exception: unknown): unknown {
  return typeof exception === 'string' ? { name: exception } : exception;
}
