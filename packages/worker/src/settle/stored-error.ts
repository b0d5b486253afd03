import type { Run } from '@retry/core/broker';
import { addError } from '@retry/core/broker/kit';
import type { ErrorText } from '../error-text.ts';
import { clip, errorText } from '../error-text.ts';

/** Returns what of a thrown value is stored with its run; by default its name, message and stack. */
export type Redact = (error: unknown) => ErrorText;

/** An attempt that failed. */
interface Failure {
  readonly error: unknown;
  readonly at: number;
  /** The next attempt follows immediately. */
  readonly isFollowed: boolean;
  readonly redact: Redact | undefined;
}

/**
 * Returns the run with the error of its attempt. The stack is stored only when the run ends or has to wait: formatting it
 * would otherwise take longer than the attempt.
 */
export function failedRun(run: Run<'started'>, { error, at, isFollowed, redact }: Failure): Run<'started'> {
  const text = storedText(error, redact, isFollowed ? 'dropped' : 'kept');
  return { ...run, errors: addError(run.errors, { epoch: run.epoch, at, ...text }) };
}

const UNREDACTED: ErrorText = {
  name: 'Error',
  message: 'not stored: the redact function of its worker threw, or did not return { name, message }',
};

/**
 * Returns what is stored of an error: text of bounded length. Never throws; if `redact` fails, nothing of the error is
 * stored.
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

/** Checks what a user's `redact` returned. @throws {TypeError} when it is not an error text */
function readRedacted(given: unknown): ErrorText {
  if (given instanceof Promise) given.catch(() => {});
  const { name, message, stack } = given as Partial<Record<keyof ErrorText, unknown>>; // each field is checked below
  if (typeof name !== 'string' || typeof message !== 'string') throw new TypeError('not an error text');
  return typeof stack === 'string' ? { name, message, stack } : { name, message };
}
