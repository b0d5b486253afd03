import type { Policy } from '@retry/core';
import { httpTransient, postgresTransient, redisTransient, transientNetwork } from '@retry/core';
import type { Matcher } from '@retry/core/fields';
import { isRegExp, settingsOf } from '@retry/core/fields';
import type { Visitor } from '../../access/rights.ts';
import { BoardError } from '../../errors.ts';
import type { Desk } from '../call.ts';

const LISTS: readonly (readonly Matcher[])[] = [
  transientNetwork,
  httpTransient,
  postgresTransient,
  redisTransient,
];

/**
 * Refuses a policy with a regular expression of a visitor's own. It can take time that doubles with each letter of a message.
 * Those that the tasks of the board and the lists of `@retry/core` have are nobody's own.
 *
 * @throws {BoardError} `FORBIDDEN`
 */
export function checkPatterns(policy: Policy, { rights }: Visitor, { tasks }: Desk): void {
  if (rights.unmask) return;
  const known = new Set([
    ...LISTS.flatMap((list) => list.flatMap(patternsOf)),
    ...[...tasks.values()].flatMap(({ retry }) => patternsIn(retry)),
  ]);
  if (patternsIn(policy).every((pattern) => known.has(pattern))) return;
  throw new BoardError('FORBIDDEN', OWN_PATTERN, { right: 'unmask' });
}

function patternsIn(policy: Policy): readonly string[] {
  const { retryOn, stopOn } = settingsOf(policy);
  return [...(typeof retryOn === 'string' ? [] : retryOn), ...stopOn].flatMap(patternsOf);
}

/** Returns the regular expressions of a matcher and its causes, as they are written. */
function patternsOf(matcher: Matcher): readonly string[] {
  if (typeof matcher === 'function') return [];
  const { message, cause } = matcher;
  return [...(isRegExp(message) ? [String(message)] : []), ...(cause === undefined ? [] : patternsOf(cause))];
}

const OWN_PATTERN =
  "You may not replay a policy with a pattern of your own here: it needs the right unmask, which the board's access gives. Match by text, code, name or status.";
