import { errorText } from '../error-text.ts';
import { PayloadError } from '../errors.ts';
import { writePayload } from './payload.ts';

/** What a handler returned as JSON text. @throws {PayloadError} when it cannot be kept */
export function writeResult(result: unknown, maxBytes: number): string {
  const text = toText(result);
  const bytes = text.length * MAX_BYTES_PER_UNIT > maxBytes ? Buffer.byteLength(text) : 0;
  if (bytes <= maxBytes) return text;
  throw new PayloadError(
    `the result has ${bytes} bytes, at most ${maxBytes} may be. Keep the data elsewhere and return its key, or raise maxResultBytes.`,
  );
}

/** One unit of UTF-16 is at most three bytes of UTF-8; short texts need no counting. */
const MAX_BYTES_PER_UNIT = 3;

function toText(result: unknown): string {
  try {
    return writePayload(result, Infinity);
  } catch (cause) {
    throw new PayloadError(`the result cannot be kept: ${errorText(cause).message}`, [], { cause });
  }
}
