/** What people read of a thrown value. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

const MAX_TEXT = 8_192;

/**
 * Reads a thrown value, whatever it is: text of bounded length. Never throws, not even at a revoked Proxy.
 *
 * @param stackIs - a stack that is dropped is not even read: V8 writes it at the first reading, which takes its time
 */
export function errorText(error: unknown, stackIs: 'kept' | 'dropped' = 'dropped'): ErrorText {
  try {
    if (!(error instanceof Error)) return { name: typeof error, message: clip(String(error)) };
    const text = { name: clip(error.name), message: clip(error.message) };
    const stack: unknown = stackIs === 'kept' ? error.stack : undefined;
    return typeof stack === 'string' ? { ...text, stack: clip(stack) } : text;
  } catch {
    return { name: typeof error, message: 'an error that cannot be read' };
  }
}

/**
 * One line about a thrown value, for people: drivers throw errors that have neither a name nor a message of their own, such as
 * the `AggregateError` of a connection that every address has refused. Never throws.
 */
export function errorLine(error: unknown): string {
  const { name, message } = errorText(error);
  const code = errorCode(error);
  return `${name === 'Error' ? className(error) : name}${code === undefined ? '' : ` [${code}]`}: ${message || innerMessage(error)}`;
}

function className(error: unknown): string {
  try {
    return error instanceof Error ? clip(error.constructor.name || 'Error') : 'Error';
  } catch {
    return 'Error';
  }
}

function innerMessage(error: unknown): string {
  try {
    const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
    const { cause } = error instanceof Error ? error : {};
    const messages = [...inner.slice(0, 3), cause].map((each) => (each ? errorText(each).message : ''));
    return messages.filter((message) => message !== '').join('; ') || 'it says nothing more';
  } catch {
    return 'it says nothing more';
  }
}

/** The beginning of a text; never half of a surrogate pair. */
export function clip(value: unknown): string {
  const text = String(value);
  if (text.length <= MAX_TEXT) return text;
  const last = text.charCodeAt(MAX_TEXT - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? MAX_TEXT - 1 : MAX_TEXT);
}

/** The `code` of an error, where it has one that is text. */
function errorCode(error: unknown): string | undefined {
  try {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    return typeof code === 'string' ? clip(code) : undefined;
  } catch {
    return undefined;
  }
}
