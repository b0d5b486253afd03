import { TotalTimeoutError } from '@retry/core';
import type { ToldAttempt } from '../call/context.ts';
import { timeLeft, totalOf } from '../call/time-limits.ts';
import { systemClock, unrefClock } from '../time/clock.ts';

const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

/** Those that wait for a body. */
interface Readers {
  readonly waiting: Set<(error: unknown) => void>;
  /** Why the body was cut, once it was. */
  error?: TotalTimeoutError;
}

/**
 * Ends the reading of an answer's body when the whole time of its call is over: the request's signal aborts, and what
 * waits for the body rejects with a `TotalTimeoutError`. The timer goes once the body has been read by one of the
 * answer's methods, and does not keep the process alive.
 *
 * @returns how to take the timer away
 */
export function limitBody(response: Response, attempt: ToldAttempt): () => void {
  const { call } = attempt;
  const leftMs = timeLeft(call, call.clock.now());
  if (!response.body || leftMs === Infinity) return () => undefined;
  const readers: Readers = { waiting: new Set() };
  const clock = call.clock === systemClock ? unrefClock : call.clock;
  const cut = (): void => {
    const error = new TotalTimeoutError(totalOf(call), attempt.attempt);
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
