import { RetryError } from '../errors.ts';
import { read } from '../read.ts';

/**
 * Returns the answer of a gate or predicate as a boolean. A promise is refused: it is always truthy, so a `false` in it
 * would be read as `true`.
 *
 * @throws {RetryError} `ASYNC_GATE` for a promise
 */
export function isYes(
  answer: unknown,
  message: string = 'a gate or predicate must answer immediately, got a promise. Ask before the attempt ends.',
): boolean {
  if (read(answer, 'then') !== undefined) {
    // Nothing awaits the promise, so its rejection would be unhandled.
    Promise.resolve(answer).catch(() => undefined);
    throw new RetryError('ASYNC_GATE', message);
  }
  return Boolean(answer);
}
