import { RetryError } from '../errors.ts';
import { read } from '../read.ts';

/**
 * What a gate or predicate of the user's answered. A promise is always truthy: taking it for a yes would retry
 * for ever what it wanted to stop.
 *
 * @throws {RetryError} `ASYNC_GATE` when it answered with a promise
 */
export function isYes(
  answer: unknown,
  message: string = 'a gate or predicate must answer at once, got a promise. Ask before the attempt ends.',
): boolean {
  if (read(answer, 'then') !== undefined) {
    // It is not waited for, and when it rejects nothing else would take note.
    Promise.resolve(answer).catch(() => undefined);
    throw new RetryError('ASYNC_GATE', message);
  }
  return Boolean(answer);
}
