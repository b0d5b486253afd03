import { tagOf } from './read.ts';
import { HIDDEN, hideFields, isSecret } from './secret-names.ts';

/** What has a text of its own, also that of another realm. */
const PRINTED = /^\[object (Error|DOMException|RegExp)]/;

/** Returns a value as one line of at most 80 characters, without passwords. Never throws. */
export function show(value: unknown): string {
  return print(value).slice(0, 80);
}

/** How many values of an object are printed, and how many items of a list: a sparse one may have 2³² without taking any memory. */
const MAX_PRINTED = 1_000;

/** Returns a value as text, without passwords; of an object, a bounded number of its values, and `…` for those below. Never throws. */
export function print(value: unknown): string {
  try {
    if (typeof value === 'function') return `function ${String(value.name) || '(anonymous)'}`;
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'string' && typeof value !== 'object') return String(value);
    if (value instanceof Error || PRINTED.test(tagOf(value))) return hidePasswords(String(value));
    const text = JSON.stringify(value, boundedPrinter()) ?? typeof value;
    const className: unknown = typeof value === 'object' && value?.constructor?.name;
    // JSON shows a Map or an AbortController as `{}`.
    return text === '{}' && className !== 'Object' && className ? `${String(className)} {}` : text;
  } catch {
    return typeof value;
  }
}

/** Marks what is left out of a printed value. */
export const LEFT_OUT = '…';

/** Returns a replacer for `JSON.stringify` that leaves out passwords, and what comes after a number of values. */
function boundedPrinter(): (name: string, value: unknown) => unknown {
  let left = MAX_PRINTED;
  return (name, value) => {
    left -= 1;
    const shown = hidePasswordOf(name, value);
    if (typeof shown !== 'object' || shown === null) return shown;
    if (left < 0) return LEFT_OUT;
    if (!Array.isArray(shown) || shown.length <= MAX_PRINTED) return shown;
    return [...shown.slice(0, MAX_PRINTED), LEFT_OUT];
  };
}

/** Returns a text without the passwords of its URLs and connection strings. */
export function hidePasswords(text: string): string {
  return hideFields(hideCredentials(text));
}

/** Returns the value of a property without passwords: a replacer for `JSON.stringify`. */
export function hidePasswordOf(name: string, value: unknown): unknown {
  if (isSecret(name, value)) return HIDDEN;
  return typeof value === 'string' ? hidePasswords(value) : value;
}

/**
 * Hides everything from the slashes (one is enough: people forget the other) to the last `@`, because a password may
 * contain any character. Without a regular expression, which could backtrack in a long text.
 */
function hideCredentials(text: string): string {
  const at = text.lastIndexOf('@');
  const colon = text.indexOf(':/');
  if (colon === -1 || at < colon) return text;
  const start = text[colon + 2] === '/' ? colon + 3 : colon + 2;
  return `${text.slice(0, start)}${HIDDEN}${text.slice(at)}`;
}
