import { readSafely } from '../fields/read-options.ts';
import { readMatcher } from '../policy/read-rules.ts';
import { matches } from './find-match.ts';
import type { Matcher } from './matcher.ts';

/**
 * Returns whether the matcher matches a thrown value of any type.
 *
 * Throws only what a predicate throws; properties of the error that cannot be read do not match.
 *
 * @throws {InvalidOptionsError} when `matcher` is not a class, a description or a predicate, as `definePolicy` would
 */
export function matchesError(matcher: Matcher, error: unknown): boolean {
  const read = readSafely(matcher, 'matchesError', (report) => readMatcher(matcher, 'matcher', report));
  return matches(read, error);
}
