/** Prints a seen value in one short line, without passwords; never throws, whatever the value. */
export function show(value: unknown): string {
  return print(value).slice(0, 80);
}

/** The same at its full length. */
export function print(value: unknown): string {
  try {
    if (typeof value === 'function') return `function ${String(value.name)}`;
    if (typeof value !== 'string' && typeof value !== 'object') return String(value);
    if (value instanceof Error || value instanceof RegExp) return hideSecrets(String(value));
    const text = JSON.stringify(value, hideSecretOf) ?? typeof value;
    const className: unknown = typeof value === 'object' && value?.constructor?.name;
    // What a Map or an AbortController holds is not seen by JSON.
    return text === '{}' && className !== 'Object' && className ? `${String(className)} {}` : text;
  } catch {
    return typeof value;
  }
}

/** What stands where a password stood. */
export const HIDDEN = '***';

/** `password=…`, as in the query of a URL or in a connection string. */
const FIELD = /((?:password|passwd|pwd|secret|token)=)[^\s&"']+/gi;

const SECRET_NAME = /(?:password|passwd|passphrase|pwd|secret|token)$/i;

/** A text without the passwords of the URLs and connection strings in it. */
export function hideSecrets(text: string): string {
  return hideCredentials(text).replace(FIELD, `$1${HIDDEN}`);
}

/** What is kept by this name, as it may be shown; the replacer of `JSON.stringify`. */
export function hideSecretOf(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return SECRET_NAME.test(name) ? HIDDEN : hideSecrets(value);
}

/**
 * Passwords may hold anything, also what ends the host of a URL: all is hidden from the slashes, of which people write
 * too few, up to the last `@`. Searched without a pattern that could go back, as the text may be long.
 */
function hideCredentials(text: string): string {
  const at = text.lastIndexOf('@');
  const colon = text.indexOf(':/');
  if (colon === -1 || at < colon) return text;
  const start = text[colon + 2] === '/' ? colon + 3 : colon + 2;
  return `${text.slice(0, start)}${HIDDEN}${text.slice(at)}`;
}
