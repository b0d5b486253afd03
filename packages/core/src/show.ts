import { hideSecretOf, hideSecrets } from './hide-secrets.ts';

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
