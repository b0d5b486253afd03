import type { ErrorText } from '../error-text.ts';
import { clip, errorText } from '../error-text.ts';

/** What of a thrown value is stored with its run: by default its name, message and stack. */
export type Redact = (error: unknown) => ErrorText;

const UNREDACTED: ErrorText = {
  name: 'Error',
  message: 'not stored: the redact of its worker threw, or gave no { name, message }',
};

/**
 * What is stored of an error: text of bounded length. Never throws; where `redact` fails, nothing of the error is stored.
 *
 * @param stackIs - a stack is stored only where there is time to look for it
 */
export function storedText(
  error: unknown,
  redact: Redact | undefined,
  stackIs: 'kept' | 'dropped',
): ErrorText {
  if (redact === undefined) return errorText(error, stackIs);
  try {
    const { name, message, stack } = readRedacted(redact(error));
    const text = { name: clip(name), message: clip(message) };
    return stackIs === 'kept' && stack !== undefined ? { ...text, stack: clip(stack) } : text;
  } catch {
    return UNREDACTED;
  }
}

/** What a user's function gave. @throws {TypeError} when it is no error text */
function readRedacted(given: unknown): ErrorText {
  if (given instanceof Promise) given.catch(() => {});
  const { name, message, stack } = given as Partial<Record<keyof ErrorText, unknown>>; // each is looked at
  if (typeof name !== 'string' || typeof message !== 'string') throw new TypeError('no error text');
  return typeof stack === 'string' ? { name, message, stack } : { name, message };
}
