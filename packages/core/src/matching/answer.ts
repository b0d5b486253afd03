import { RetryError } from '../errors.ts';
import { read } from '../read.ts';

/**
 * Returns the answer of a gate or predicate as a boolean. A promise is refused: it is always truthy, so a `false` in it
 * would be read as `true`.
 *
 * @throws {RetryError} `ASYNC_GATE` for a promise
 */
export function isYes(answer: unknown, message?: string): boolean {
  refusePromise(answer, message);
  return Boolean(answer);
}

/** @throws {RetryError} `ASYNC_GATE` for a promise */
export function refusePromise(
  answer: unknown,
  message: string = 'a gate, predicate or strategy must answer immediately, got a promise. Ask before the attempt ends.',
): void {
  if (read(answer, 'then') === undefined) return;
  // Nothing awaits the promise, so its rejection would be unhandled.
  Promise.resolve(answer).catch(() => undefined);
  throw new RetryError('ASYNC_GATE', message);
}
