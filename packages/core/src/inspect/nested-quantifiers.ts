import { innerMatchers, type Matcher } from '../matching/matcher.ts';
import type { PolicySettings } from '../policy/policy.ts';
import { isRegExp } from '../read.ts';

/** Returns the path of a pattern with nested quantifiers, as `retryOn[0].cause.message`; `undefined` if there is none. */
export function findNestedQuantifier({ retryOn, stopOn, delays }: PolicySettings): string | undefined {
  const paths = [
    ...pathsIn('retryOn', typeof retryOn === 'string' ? [] : retryOn),
    ...pathsIn('stopOn', stopOn),
    ...delays.flatMap(({ on }, index) => pathsIn(`delays[${index}].on`, on)),
  ];
  return paths.at(0);
}

function pathsIn(key: string, matchers: readonly Matcher[]): readonly string[] {
  return matchers.flatMap((matcher, index) => pathsOf(`${key}[${index}]`, matcher));
}

function pathsOf(path: string, matcher: Matcher): readonly string[] {
  if (typeof matcher === 'function') return [];
  const { message } = matcher;
  const messages: readonly unknown[] = Array.isArray(message) ? message : [message];
  const isFound = messages.some((each) => isRegExp(each) && repeatsWhatRepeats(each.source));
  const own = isFound ? [`${path}.message`] : [];
  return [...own, ...innerMatchers(matcher).flatMap(([key, inner]) => pathsOf(`${path}.${key}`, inner))];
}

/** Escapes, character classes, quantifiers with braces, else single characters. */
const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\{\d+,\d*\}|./gs;

/**
 * Returns whether a pattern repeats a group that contains a repetition: `^(a+)+$`. For a text that almost matches, there
 * are 2ⁿ ways to divide n letters between the two, and backtracking tries all of them.
 */
function repeatsWhatRepeats(source: string): boolean {
  const open = [false];
  let closed = false;
  for (const [token] of source.matchAll(TOKENS)) {
    const isRepeat = token === '*' || token === '+' || /^\{\d/.test(token);
    if (isRepeat && closed) return true;
    if (token === '(') open.push(false);
    closed = token === ')' && (open.pop() ?? false);
    if (isRepeat || closed) open[open.length - 1] = true;
  }
  return false;
}
