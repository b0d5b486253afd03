import type { PolicySettings } from '../policy/policy.ts';
import { isRegExp } from '../read.ts';
import { findInPatterns } from './find-in-patterns.ts';

/** Returns the path of a pattern with nested quantifiers, as `retryOn[0].cause.message`; `undefined` if there is none. */
export function findNestedQuantifier(policy: PolicySettings): string | undefined {
  return findInPatterns(policy, (value) => isRegExp(value) && repeatsWhatRepeats(value.source));
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
