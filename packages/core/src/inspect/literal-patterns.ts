import type { ErrorPattern } from '../matching/matcher.ts';
import type { PolicySettings } from '../policy/policy.ts';
import { findInPatterns } from './find-in-patterns.ts';

/** `/…/i`, an anchor, `.*`, an escaped class, a group that captures nothing: what a regular expression has and hardly any message. */
const REGULAR_EXPRESSION = /^\/[^/]+\/[dgimsuvy]*$|^\^|[^\s\\]\$$|\.[*+]|\\[bdswBDSW]|\(\?[:=!<]/;

/** A glob; or the pattern of SQL's LIKE. */
const GLOB = /^\*|\*$|^%.+%$/;

/** Several names or codes in one text. */
const SEVERAL = /[|,]/;

/** Returns the path of a text that is written in a notation in which its field does not read it; `undefined` if there is none. */
export function findLiteralPattern(policy: PolicySettings): string | undefined {
  return findInPatterns(policy, isForeign);
}

/**
 * Returns whether a text has a pattern that its field does not know. In names and codes, and in a glob of messages, a `*` matches any
 * text; in the text of a message and in a label it is a star.
 */
function isForeign(value: unknown, key: keyof ErrorPattern): boolean {
  if (key === 'message' && typeof value === 'object' && value !== null && 'glob' in value)
    return [value.glob, 'except' in value ? value.except : []].flat().some(isForeignGlob);
  if (typeof value !== 'string') return false;
  if (REGULAR_EXPRESSION.test(value)) return true;
  return key === 'message'
    ? GLOB.test(value)
    : SEVERAL.test(value) || (key === 'label' && value.includes('*'));
}

/** A message may have a dot before a `*`, but none before its first letter. */
function isForeignGlob(glob: unknown): boolean {
  return REGULAR_EXPRESSION.test(String(glob).replace(/(?!^)\.\*/g, ''));
}
