import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import type { Matcher, MatcherInput } from '../matching/matcher.ts';
import { readMatchers } from '../policy/read-rules.ts';
import { isUnset } from './read-options.ts';

/** An exception as a dialect's lists take it: a class, its name, a pattern or a predicate. */
export type ExceptionLike = string | MatcherInput;

/** Names that a timeout goes by: ours, and the one of Python and of the web platform. */
export const TIMEOUTS: Matcher = Object.freeze({
  name: Object.freeze(['AttemptTimeoutError', 'TimeoutError']),
});

/**
 * Reads a list of exceptions; names become patterns. Lists in it are flattened, as Ruby does with what `rescue` is given
 * and Python with tuples of tuples. Empty when unset.
 */
export function readExceptions(fields: Fields, key: string, report: Report): readonly Matcher[] {
  return readListed(fields, { key, given: fields.value(key) }, report);
}

/** Deeper lists are a mistake, or contain themselves. */
const MAX_DEPTH = 8;

/** The same, of lists within lists. */
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
  const reportHere: Report = (problem) => report({ ...problem, path: prefix + problem.path });
  const named = readFields({ [key]: matchers }, '', { keys: [key], report: reportHere });
  return (named && readMatchers(named, key, reportHere)) ?? [];
}

/** Whether the list names timeouts themselves, rather than a class they happen to belong to. */
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
