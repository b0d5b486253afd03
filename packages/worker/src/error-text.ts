/** The readable part of a thrown value. */
export interface ErrorText {
  /** The error's `name`, at most 8192 characters of it; for a thrown value that is no error, its `typeof`. */
  readonly name: string;
  /** The error's message, or what was thrown as text; at most 8192 characters of it. */
  readonly message: string;
  /**
   * The error's stack, at most 8192 characters of it. It is stored with the latest error only, and not where the next attempt follows
   * immediately.
   */
  readonly stack?: string;
  /** The error's `code`, at most 64 characters of it. */
  readonly code?: string | number | undefined;
  /** The code of its nearest cause that has one. */
  readonly causeCode?: string | number | undefined;
}

/** The longest text that is kept, in UTF-16 units. */
const MAX_TEXT_LENGTH = 8_192;

/**
 * Returns the text of any thrown value, of bounded length. Never throws, not even for a revoked Proxy.
 *
 * @param stackIs - `dropped`: the stack is not read at all, because V8 formats it at the first access, which is slow
 */
export function errorText(error: unknown, stackIs: 'kept' | 'dropped' = 'dropped'): ErrorText {
  try {
    if (!isLikeError(error)) return { name: typeof error, message: clip(String(error)) };
    const text = { name: clip(error.name ?? typeof error), message: clip(error.message) };
    const stack: unknown = stackIs === 'kept' ? error.stack : undefined;
    return typeof stack === 'string' ? { ...text, stack: clip(stack) } : text;
  } catch {
    return { name: typeof error, message: 'an error that cannot be read' };
  }
}

interface LikeError {
  readonly name?: unknown;
  readonly message: unknown;
  readonly stack?: unknown;
}

/** Errors of another realm, and the plain objects that some clients throw, have a message, too; matchers read it as well. */
function isLikeError(error: unknown): error is LikeError {
  if (error instanceof Error) return true;
  return (
    typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
  );
}

/**
 * Returns one line about a thrown value. Falls back to class, code and causes for errors without a name or message of their
 * own, such as the `AggregateError` of a connection that every address has refused. Never throws.
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
    return messages.filter((message) => message !== '').join('; ') || 'it has no message';
  } catch {
    return 'it has no message';
  }
}

/** Returns at most the first units of a text, 8192 by default, without splitting a surrogate pair. */
export function clip(value: unknown, maxLength: number = MAX_TEXT_LENGTH): string {
  const text = String(value);
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength);
}

/** The longest name, and the longest message, of an error that is shortened, in UTF-16 units. */
const MAX_SHORT_LENGTH = 200;

/** Returns a text of at most 200 units; one that had more ends with `…`. */
export function shorten(text: string): string {
  return text.length <= MAX_SHORT_LENGTH ? text : `${clip(text, MAX_SHORT_LENGTH - 1)}…`;
}

/** The longest name, or note for people, that is made of other text, in bytes of UTF-8: a little less than brokers keep. */
const MAX_NAME_BYTES = 500;

/** Returns the beginning of a text, as much as brokers keep of a name; the last character may be a replacement. */
export function clipName(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_NAME_BYTES ? text : bytes.subarray(0, MAX_NAME_BYTES).toString();
}

/** The `code` of an error, if it is text. */
function errorCode(error: unknown): string | undefined {
  try {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    return typeof code === 'string' ? clip(code) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces U+0000 and unpaired surrogates, which some brokers cannot store. */
export function storable(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, '\u{fffd}');
}
