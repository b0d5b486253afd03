import { type ErrorPattern, innerMatchers, type Matcher } from '../matching/matcher.ts';
import type { PolicySettings } from '../policy/policy.ts';

/** Returns the path of the first field of a pattern that is found, wherever it is: `retryOn[0].cause.message`; `undefined` if none is. */
export function findInPatterns(
  { retryOn, stopOn, delays }: PolicySettings,
  isFound: (value: unknown, key: keyof ErrorPattern) => boolean,
): string | undefined {
  const pathsOf = (path: string, matcher: Matcher): readonly string[] => {
    if (typeof matcher === 'function') return [];
    const own = (Object.keys(matcher) as (keyof ErrorPattern)[]) // a pattern that was read has no other keys
      .filter((key) => [matcher[key]].flat().some((value) => isFound(value, key)))
      .map((key) => `${path}.${key}`);
    return [...own, ...innerMatchers(matcher).flatMap(([key, inner]) => pathsOf(`${path}.${key}`, inner))];
  };
  const pathsIn = (key: string, matchers: readonly Matcher[]): readonly string[] =>
    matchers.flatMap((matcher, index) => pathsOf(`${key}[${index}]`, matcher));
  return [
    ...pathsIn('retryOn', typeof retryOn === 'string' ? [] : retryOn),
    ...pathsIn('stopOn', stopOn),
    ...delays.flatMap(({ on }, index) => pathsIn(`delays[${index}].on`, on)),
  ].at(0);
}
