import { TotalTimeoutError } from '@retry/core';
import type { AttemptWithContext } from '../call/context.ts';
import { timeLeft, totalTimeoutOf } from '../call/timeouts.ts';
import { backgroundClock, systemClock } from '../time/clock.ts';

const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

/** The callers that read a body. */
interface Readers {
  readonly waiting: Set<(error: unknown) => void>;
  /** Set once the total timeout has passed. */
  error?: TotalTimeoutError;
}

/**
 * Ends the reading of a response's body on the total timeout of its call: the request's signal aborts, and pending
 * reads reject with a `TotalTimeoutError`. The timer is cleared once one of the response's methods has read the body,
 * and does not keep the process alive.
 *
 * @returns a function that clears the timer
 */
export function limitBody(response: Response, attempt: AttemptWithContext): () => void {
  const { call } = attempt;
  const leftMs = timeLeft(call, call.clock.now());
  if (!response.body || leftMs === Infinity) return () => undefined;
  const readers: Readers = { waiting: new Set() };
  const clock = call.clock === systemClock ? backgroundClock : call.clock;
  const cut = (): void => {
    const error = new TotalTimeoutError(totalTimeoutOf(call), attempt.attempt);
    readers.error = error;
    attempt.interrupt(error);
    for (const reject of readers.waiting) reject(error);
  };
  const cancel = clock.setTimer(cut, leftMs);
  if (Object.isExtensible(response)) watchReaders(response, readers, cancel);
  return cancel;
}

function watchReaders(response: Response, readers: Readers, onRead: () => void): void {
  for (const name of READERS) {
    const read: unknown = Reflect.get(response, name);
    if (typeof read !== 'function') continue; // bytes() is newer than the others
    const watched = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        readers.waiting.add(reject);
        const ending = (settle: (value: unknown) => void) => (value: unknown) => {
          onRead();
          settle(value);
        };
        const refuse = (error: unknown): void => reject(readers.error ?? error);
        Promise.resolve(read.call(response)).then(ending(resolve), ending(refuse));
      });
    Object.defineProperty(response, name, { value: watched, configurable: true, writable: true });
  }
}
