import { PayloadError } from '../errors.ts';
import { writePayload } from '../task/payload.ts';

/** What a handler returned as JSON text. @throws {PayloadError} when it cannot be kept */
export function writeResult(result: unknown): string {
  try {
    return writePayload(result, Infinity);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PayloadError(`the result cannot be kept: ${why}`, [], { cause });
  }
}
