import { inspect } from 'node:util';

/** How a password is shown. */
const HIDDEN = '***';

/** Texts of a URL that must not be printed: its password, as it is written and as it is meant, and the whole before the host. */
export function secretsOf(url: string): readonly string[] {
  const password = /^[^:]*:\/\/(?<before>.*)@/s.exec(url)?.groups?.['before'];
  if (password === undefined) return [];
  const colon = password.indexOf(':');
  const own = colon === -1 ? [password] : [password, password.slice(colon + 1)];
  const all = own.flatMap((text) => [text, decoded(text), encodeURIComponent(decoded(text)), encoded(text)]);
  // The longest first, so that no rest of one is left.
  return [...new Set(all)].filter((text) => text !== '' && text !== ':').sort((a, b) => b.length - a.length);
}

/** A text without what is secret. */
export function hideIn(text: string, secrets: readonly string[]): string {
  const shown = secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
  return shown.replaceAll(CREDENTIALS, `$1${HIDDEN}@`);
}

/** What is between the scheme and the host of any URL in a text. */
const CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)\S*@/gi;

/**
 * An error as a client or the runtime threw it, copied without what is secret: some carry the URL (`input`), or the
 * command that they sent (`command.args`), which may be the one with the password.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[]): Error {
  if (!(error instanceof Error)) return new Error(hideIn(String(error), secrets));
  const { cause } = error;
  const options = cause instanceof Error ? { cause: withoutSecrets(cause, secrets) } : {};
  const copy = new Error(hideIn(error.message, secrets), options);
  copy.name = error.name;
  copy.stack = hideIn(error.stack ?? '', secrets);
  if ('code' in error && typeof error.code === 'string') Object.assign(copy, { code: error.code });
  if (error instanceof AggregateError) {
    Object.assign(copy, { errors: error.errors.map((one) => withoutSecrets(one, secrets)) });
  }
  return copy;
}

/** The error itself, unless anything that prints it would show what is secret. */
export function hideSecrets(error: unknown, secrets: readonly string[]): unknown {
  const shown = inspect(error, { depth: 8, showHidden: true });
  const isShown = secrets.some(
    (secret) => shown.includes(secret) || shown.includes(inspect(secret).slice(1, -1)),
  );
  return isShown ? withoutSecrets(error, secrets) : error;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encoded(text: string): string {
  try {
    return new URL(`redis://:${text}@h`).password;
  } catch {
    return text;
  }
}
