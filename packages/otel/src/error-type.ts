import { read } from '@retry/core/fields';

/** Returns the value of `error.type`: the error's name; for a thrown value that is no error, its type. Never a message. */
export function errorType(error: unknown): string {
  const name = read(error, 'name');
  return typeof name === 'string' && name !== '' ? name : typeof error;
}
