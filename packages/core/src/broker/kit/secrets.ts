import { HIDDEN, hideFields, isSecret } from '../../secret-names.ts';

/** The beginning of a URL. Paths of modules may have an `@`, too. */
const URL_SLASHES = /(?<!\bfile):\/\//i;

/** The credentials of a text that is nothing but a URL, however wrongly its password is written. */
const ALL_CREDENTIALS = /:\/\/[\s\S]*@/;

/** Keys of errors that hold no text of a user's, and that callers compare. */
const PLAIN_KEYS: readonly string[] = ['name', 'code', 'errno', 'severity', 'routine', 'syscall'];

/** A shorter secret occurs in ordinary words; within a text it is hidden only where a URL or a field name marks it. */
const MIN_SECRET_LENGTH = 4;

/** How deep values and causes are followed. */
const MAX_DEPTH = 5;

/**
 * Returns the texts of a URL that must not be shown, longest first: the URL itself when it has credentials, and its user
 * info and passwords as written, decoded and encoded.
 */
export function secretsOf(url: string): readonly string[] {
  if (isLoneWord(url)) return [url];
  // Also without a scheme: a driver may take the rest as it is meant.
  const userInfo = /^(?:[^:/@]*:)?\/\/([\s\S]*)@/.exec(url)?.[1] ?? '';
  const colon = userInfo.indexOf(':');
  const inQuery = [...url.matchAll(/[?&](?:ssl)?password=([^&#]*)/gi)].map(([, value = '']) => value);
  // A user name alone is not secret, unless no password follows: then it may be a token.
  const written = [userInfo, userInfo.slice(colon + 1), ...inQuery].filter((text) => text !== '');
  const open = openTextsOf(url, userInfo.slice(0, Math.max(0, colon)));
  const all = written
    .filter((text) => !open.has(decoded(text)))
    .flatMap((text) => [text, decoded(text), encodeURIComponent(wellFormed(decoded(text)))]);
  const unique = new Set(written.length === 0 ? [] : [url, ...all]);
  return [...unique].sort((left, right) => right.length - left.length);
}

/** Returns whether it may be nothing but a password: neither a URL nor a path, nor a host with its port. */
function isLoneWord(url: string): boolean {
  return url !== '' && !/[/@]|:\d+$/.test(url);
}

/**
 * What a URL shows besides its password: scheme, user, hosts and path. A password that is one of them (`postgres:postgres`) is hidden
 * in URLs only: elsewhere, `role "postgres" does not exist` would lose the role, and show where the password is.
 */
function openTextsOf(url: string, user: string): ReadonlySet<string> {
  const scheme = url.slice(0, Math.max(0, url.indexOf('://')));
  const [place = ''] = url.slice(url.lastIndexOf('@') + 1).split(/[?#]/);
  return new Set([scheme, user, ...place.split(/[/:,]/)].map(decoded));
}

/** Returns the secrets of all URLs among these texts. */
export function secretsIn(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.includes('://')).flatMap(secretsOf);
}

/** Returns a text (a message, a stack) without these secrets, and without what looks like a password. */
export function hideSecrets(text: string, secrets: readonly string[] = []): string {
  if (secrets.includes(text)) return HIDDEN;
  const shown = secrets
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
  return hideFields(shown.replace(/\S+/g, hideCredentials));
}

/**
 * Returns a text that was to be the URL of a server without user and password: also where its scheme is missing, or the colon or a
 * slash behind it.
 */
export function hideSecretsOfUrl(url: string): string {
  if (isLoneWord(url)) return HIDDEN;
  return hideSecrets(url.replace(/^([a-z][a-z+]*:\/\/)?[\s\S]*@/i, `$1${HIDDEN}@`));
}

/**
 * Hides user and password of a URL in a word, up to its last `@`. By word, because one expression for a whole text would
 * look for an `@` from each `://` on: the time would grow with the square of the length.
 */
function hideCredentials(word: string): string {
  const at = word.lastIndexOf('@');
  const slashes = at === -1 ? -1 : word.slice(0, at).search(URL_SLASHES);
  return slashes === -1 ? word : `${word.slice(0, slashes)}://${HIDDEN}${word.slice(at)}`;
}

/**
 * Returns a copy of a given value (a wrong option, part of an error) that may be shown. Of an object that is not plain,
 * such as a client, only its type is returned: it may hold its password anywhere.
 */
export function hideSecretsInValue(value: unknown, secrets: readonly string[] = []): unknown {
  try {
    return hideWithin(value, secrets, 0);
  } catch {
    return typeof value; // what cannot be read cannot be shown either
  }
}

function hideWithin(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') {
    return hideSecrets(value.replace(ALL_CREDENTIALS, `://${HIDDEN}@`), secrets);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return typeof value;
  if (Array.isArray(value)) return value.map((item) => hideWithin(item, secrets, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return typeof value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    isSecret(key, item) ? HIDDEN : hideWithin(item, secrets, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Removes secrets from an error: from its message, its stack, and every text that a driver or the runtime added, also in
 * its causes. Returns the same error, so that its class stays; a frozen one is copied.
 */
export function hideSecretsInError(error: unknown, secrets: readonly string[]): unknown {
  return hideInError(error, secrets, 0);
}

function hideInError(error: unknown, secrets: readonly string[], depth: number): unknown {
  if (!(error instanceof Error) || depth === MAX_DEPTH) return error;
  for (const key of new Set([...Object.getOwnPropertyNames(error), 'message', 'stack'])) {
    if (PLAIN_KEYS.includes(key)) continue;
    const value: unknown = Reflect.get(error, key);
    const shown = isSecret(key, value) ? HIDDEN : shownProperty(value, secrets, depth + 1);
    if (shown === value) continue;
    const enumerable = Object.getOwnPropertyDescriptor(error, key)?.enumerable ?? false;
    const property = { value: shown, enumerable, configurable: true, writable: true };
    if (!Reflect.defineProperty(error, key, property)) return copyOf(error, secrets, depth);
  }
  return error;
}

/** The value itself where nothing in it is hidden. */
function shownProperty(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') return hideSecrets(value, secrets);
  if (value instanceof Error) return hideInError(value, secrets, depth);
  if (Array.isArray(value) && value.some((item) => item instanceof Error)) {
    return value.map((item: unknown) => shownProperty(item, secrets, depth));
  }
  if (typeof value !== 'object' || value === null) return value;
  const shown = hideSecretsInValue(value, secrets);
  // An object that is not plain is left as it is: a type in its place would surprise its reader.
  return typeof shown === 'object' ? shown : value;
}

function copyOf(error: Error, secrets: readonly string[], depth: number): Error {
  const { cause, name, message, stack } = error;
  const options = cause === undefined ? {} : { cause: shownProperty(cause, secrets, depth + 1) };
  const copy = new Error(hideSecrets(message, secrets), options);
  const code: unknown = Reflect.get(error, 'code');
  return Object.assign(copy, {
    name,
    stack: hideSecrets(stack ?? '', secrets),
    ...(typeof code === 'string' && { code }),
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Half a surrogate pair cannot be encoded. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
