import { isRetryError } from '../../../errors.ts';

/** Codes of our own errors about wrong input: the same input would be refused again. */
const REFUSING_CODES = ['INVALID_OPTIONS', 'INVALID_SETTLEMENT', 'UNKEEPABLE_TEXT'] as const;

/** Returns whether the error, of the runtime or of ours, is about the input: sent again, it fails again. */
export function isRefusedInput(error: unknown): boolean {
  try {
    if (error instanceof TypeError || error instanceof RangeError || isTooLong(error)) return true;
    return REFUSING_CODES.some((code) => isRetryError(error, code));
  } catch {
    return false; // an error that cannot be read does not blame the input
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG';
}
