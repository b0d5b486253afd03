import type { Matcher } from '../matching/matcher.ts';
import type { PolicySettings } from '../policy/policy.ts';

/** Where a policy has a pattern that repeats what repeats: `retryOn[0].cause.message`; `undefined` where it has none. */
export function findNestedQuantifier({ retryOn, stopOn }: PolicySettings): string | undefined {
  const paths = [
    ...pathsIn('retryOn', typeof retryOn === 'string' ? [] : retryOn),
    ...pathsIn('stopOn', stopOn),
  ];
  return paths.at(0);
}

function pathsIn(key: string, matchers: readonly Matcher[]): readonly string[] {
  return matchers.flatMap((matcher, index) => pathsOf(`${key}[${index}]`, matcher));
}

function pathsOf(path: string, matcher: Matcher): readonly string[] {
  if (typeof matcher === 'function') return [];
  const { message, cause } = matcher;
  const own = message instanceof RegExp && repeatsWhatRepeats(message.source) ? [`${path}.message`] : [];
  return cause === undefined ? own : [...own, ...pathsOf(`${path}.cause`, cause)];
}

/** Escapes, character classes, brackets and quantifiers; whatever else stands between them. */
const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\{\d+,\d*\}|./gs;

/**
 * Whether a group that repeats holds something that repeats: `^(a+)+$`. On a text that nearly matches there are 2ⁿ ways
 * to share n letters between the two, and all of them are tried.
 */
export function repeatsWhatRepeats(source: string): boolean {
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
