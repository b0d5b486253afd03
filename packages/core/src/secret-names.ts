/** Replaces a password. */
export const HIDDEN = '***';

/**
 * Matches `password=…`, `secretAccessKey="…"`, `"token": "…"` and headers like `Authorization: Bearer …`, but not the counted tokens of a
 * budget. Before a colon the name has to end with its word: `TokenExpiredError: …` is a message. What may follow the word is bounded, so
 * that the time is linear. Of a list of cookies every one is part of the value.
 */
const FIELD =
  /((?!(?<=\b|max)token(?:s|ratio)[=[])(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|authorization|cookie|(?:api|private)[-_]?key)(?:[\w[\]-]{0,40}=|["']?\s*[=:])[\s"']*)(?:(?:bearer|basic|token|digest)\s+)?[^\s&"']+(?:(?<=;)\s+[\w-]+=[^\s&"']*)*/gi;

/** Returns a text without the values of its secret fields, as in the query of a URL, a connection string, or printed JSON. */
export function hideFields(text: string): string {
  return text.replace(FIELD, `$1${HIDDEN}`);
}

/**
 * Returns whether the value of this name or path must not be shown, as it is not in a text: `password`, `auth.secretAccessKey`,
 * `secrets[0]`. That there is none, `true` and `false` are no secret.
 */
export function isSecret(name: string, value: unknown): boolean {
  const field = `${name}=_`;
  return typeof (value ?? true) !== 'boolean' && hideFields(field) !== field;
}
