import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import type { Matcher } from '../matching/matcher.ts';
import { readMatchers, refuseLong } from '../policy/read-rules.ts';
import { MAX_ITEMS } from '../read.ts';
import { described, type Option } from './option.ts';
import { isUnset } from './read-options.ts';

/** An exception in a dialect's list: a class, its name, a pattern or a predicate. */
export type ExceptionLike = string | Matcher;

/** Matches timeouts: our own, and those of Python and of the web platform. */
export const TIMEOUTS: Matcher = Object.freeze({
  name: Object.freeze(['AttemptTimeoutError', 'TimeoutError']),
});

/**
 * A list of exceptions: classes, names, patterns and predicates. Names become patterns. Nested lists are flattened, as Ruby flattens the
 * list of a `rescue` and Python nested tuples. Empty if the option is unset.
 */
export function exceptions(meaning: string): Option<readonly Matcher[]> {
  return described('classes', '[]', meaning, (fields, key, report) =>
    readListed(fields, { key, given: fields.value(key) }, report),
  );
}

/** The limit of nested lists: a list may contain itself. */
const MAX_DEPTH = 8;

/** Reads a list of exceptions and lists, nested at most `MAX_DEPTH` deep. */
export function readNestedExceptions(fields: Fields, key: string, report: Report): readonly Matcher[] {
  return readListed(fields, { key, given: fields.value(key), isNested: true }, report);
}

interface Listed {
  readonly key: string;
  readonly given: unknown;
  /** Lists within the list are read, too, down to a depth. */
  readonly isNested?: boolean;
}

function readListed(
  fields: Fields,
  { key, given, isNested = false }: Listed,
  report: Report,
): readonly Matcher[] {
  if (isUnset(given)) return [];
  const flat = Array.isArray(given) ? flatten(given, isNested ? MAX_DEPTH : Infinity) : given;
  if (flat === undefined) {
    refuseLong(fields, key);
    return [];
  }
  const matchers = Array.isArray(flat) ? flat.map(patternOf) : flat;
  const prefix = fields.path(key).slice(0, -key.length);
  const reportPrefixed: Report = (problem) => report({ ...problem, path: prefix + problem.path });
  const named = readFields({ [key]: matchers }, '', { keys: [key], report: reportPrefixed });
  return (named && readMatchers(named, key, reportPrefixed)) ?? [];
}

/** Returns the items of a list and of the lists in it; of those below the depth `null`. `undefined` if there are too many. */
function flatten(list: readonly unknown[], depth: number): readonly unknown[] | undefined {
  const flat: unknown[] = [];
  let left = MAX_ITEMS;
  const add = (items: readonly unknown[], level: number): void => {
    left -= items.length;
    for (const item of left < 0 ? [] : items) {
      if (Array.isArray(item) && level < depth) add(item, level + 1);
      else flat.push(Array.isArray(item) ? null : item);
    }
  };
  add(list, 0);
  return left < 0 ? undefined : flat;
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
