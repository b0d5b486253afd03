import { InvalidOptionsError } from '../errors.ts';
import { read } from '../read.ts';

/**
 * Refuses what is no policy: what was written for one has durations as text, and other keys.
 *
 * @param subject - the function that was called
 * @throws {InvalidOptionsError}
 */
export function checkPolicy(value: unknown, subject: string): void {
  // A policy without its brand is one of the slim entry, or was spread.
  if (typeof read(value, 'maxDelayMs') === 'number' && read(read(value, 'backoff'), 'type') !== undefined)
    return;
  const cure = 'Use definePolicy({ … }).';
  throw new InvalidOptionsError(
    [{ path: 'policy', value, message: 'must be a defined policy', cure }],
    subject,
  );
}

/**
 * Refuses what {@link checkPolicy} refuses, and a retry that is no number.
 *
 * @throws {InvalidOptionsError}
 */
export function checkRetry(policy: unknown, retry: unknown, subject: string): void {
  checkPolicy(policy, subject);
  if (typeof retry === 'number') return;
  const cure = 'Use 1 for the wait after the first failed attempt.';
  throw new InvalidOptionsError(
    [{ path: 'retry', value: retry, message: 'must be a number', cure }],
    subject,
  );
}
