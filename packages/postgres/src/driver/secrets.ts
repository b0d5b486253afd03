/** What stands where a password stood. */
const HIDDEN = '***';

/** The part of a URL between its scheme and its last `@`: user and password, also those that are written wrongly. */
const CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)\S*@/gi;

/** The same of a text that is nothing but a URL: whatever is written wrongly in it, up to its last `@`. */
const ALL_CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)[\s\S]*@/gi;
const PASSWORD_FIELD = /((?:pass(?:word|wd)?|pwd|secret|token)["']?\s*[=:]\s*["']?)[^\s&"',;)}]+/gi;
const SECRET_KEY = /pass|pwd|secret|token|credential/i;

/** What distinguishes errors, and contains no text of a user's. */
const PLAIN_KEYS: readonly string[] = ['name', 'code', 'errno', 'severity', 'routine', 'syscall'];

/** Shorter ones stand in every other word; they are hidden where a URL says what they are. */
const SHORTEST_SECRET = 4;

/** How far values and causes are followed. */
const MAX_DEPTH = 5;

/** Text without what looks like a password, and without these. */
export function hideSecrets(text: string, secrets: readonly string[] = []): string {
  const known = [...secrets].sort((left, right) => right.length - left.length);
  const shown = known.reduce(
    (left, secret) => (secret.length < SHORTEST_SECRET ? left : left.replaceAll(secret, HIDDEN)),
    text,
  );
  return shown.replace(CREDENTIALS, `$1${HIDDEN}@`).replace(PASSWORD_FIELD, `$1${HIDDEN}`);
}

/** A value that was given, as it may be shown. */
export function hideIn(value: unknown, depth = 0): unknown {
  try {
    return hideWithin(value, depth);
  } catch {
    return typeof value; // what cannot be read cannot be shown either
  }
}

function hideWithin(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hideSecrets(value.replace(ALL_CREDENTIALS, `$1${HIDDEN}@`));
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return value.map((one) => hideIn(one, depth + 1));
  // Anything but a plain object may be as large as a client, and holds its password somewhere.
  if (prototype !== Object.prototype && prototype !== null) return typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, SECRET_KEY.test(key) ? HIDDEN : hideIn(one, depth + 1)]),
  );
}

/** What of a URL must not be printed: itself, and its password as it is written and as it is meant. */
export function secretsOf(url: string): readonly string[] {
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^:@/]*:(.*)@/i.exec(url)?.[1];
  const asked = [...url.matchAll(/[?&](?:ssl)?password=([^&#]*)/gi)].map(([, value = '']) => value);
  const passwords = [written ?? '', ...asked].filter((text) => text !== '');
  return [url, ...passwords.flatMap((text) => [text, decode(text)])];
}

/** The same of whatever was given: what holds no URL holds no secret. */
export function secretsIn(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.includes('://')).flatMap(secretsOf);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The same error without secrets: in its message, its stack, and whatever text a driver or the runtime has put into it,
 * also in what it was caused by.
 */
export function hideInError(error: unknown, secrets: readonly string[], depth = 0): unknown {
  if (!(error instanceof Error) || depth === MAX_DEPTH) return error;
  for (const key of [...new Set([...Object.getOwnPropertyNames(error), 'message', 'stack'])]) {
    if (PLAIN_KEYS.includes(key)) continue;
    const value: unknown = Reflect.get(error, key);
    if (typeof value === 'string') {
      const hidden = hideSecrets(value, secrets);
      const enumerable = Object.getOwnPropertyDescriptor(error, key)?.enumerable ?? false;
      if (hidden !== value)
        Object.defineProperty(error, key, { value: hidden, enumerable, configurable: true, writable: true });
    } else if (Array.isArray(value)) for (const one of value) hideInError(one, secrets, depth + 1);
    else hideInError(value, secrets, depth + 1);
  }
  return error;
}
