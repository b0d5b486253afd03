import { InvalidOptionsError } from '@retry/core';

/** The error of a call whose options must be given and were not. */
export function notAnObject(subject: string, keys: readonly string[]): InvalidOptionsError {
  const cure = `Its keys are ${keys.join(', ')}.`;
  return new InvalidOptionsError(
    [{ path: '', value: undefined, message: 'must be an object', cure }],
    subject,
  );
}
