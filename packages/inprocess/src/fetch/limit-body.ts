import { TotalTimeoutError } from '@retry/core';
import type { AttemptWithContext } from '../call/context.ts';
import { onAbort } from '../time/abort-hub.ts';
import { backgroundClock, systemClock } from '../time/clock.ts';
import { releaseAfter } from './request-signal.ts';

const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

/** Keeps an attempt as long as the body of its response. The timer must not: the attempt leads to its call and to the response. */
const attempts = new WeakMap<object, AttemptWithContext>();

/**
 * Ends the reading of a response's body on the total timeout of its call: the request's signal aborts, and reads reject with a
 * `TotalTimeoutError`. The timer does not keep the process alive, and is cleared once
 *
 * 1. the body has been read to its end, or cancelled, by a method, a reader or `for await`;
 * 2. the caller's signal has aborted;
 * 3. the body has been collected: it is not read, or a pipe has.
 *
 * @param signal - that of the request, if the caller can abort it
 */
export function limitBody(
  response: Response,
  attempt: AttemptWithContext,
  signal: AbortSignal | undefined,
): void {
  const { call } = attempt;
  const { body } = response;
  // Of its own policy alone: the attempt around the call aborts the request by its signal, as long as it lasts.
  const { totalTimeoutMs } = call.plan.policy;
  const leftMs = Math.max(totalTimeoutMs - call.elapsedMs(call.clock.now()), 0);
  if (typeof body !== 'object' || body === null || leftMs === Infinity) return;
  attempts.set(body, attempt);
  const limit = new BodyLimit(attempt, leftMs);
  releaseAfter(response, limit.clear);
  if (signal !== undefined) onAbort(signal, { onAborted: limit.clear });
  watchResponse(response, limit);
}

/** The timer of a body, and the reads that wait for it. */
class BodyLimit {
  readonly clear: () => void;
  readonly #attempt: Pick<WeakRef<AttemptWithContext>, 'deref'>;
  readonly #number: number;
  readonly #timeoutMs: number;
  readonly #waiting: Set<(error: unknown) => void> = new Set();
  #error: TotalTimeoutError | undefined;

  constructor(attempt: AttemptWithContext, leftMs: number) {
    const { call } = attempt;
    this.#attempt = globalThis.WeakRef ? new WeakRef(attempt) : keep(attempt);
    this.#number = attempt.attempt;
    this.#timeoutMs = call.plan.policy.totalTimeoutMs;
    const clock = call.clock === systemClock ? backgroundClock : call.clock;
    this.clear = clock.setTimer(() => this.#cut(), leftMs);
  }

  #cut(): void {
    const error = new TotalTimeoutError(this.#timeoutMs, this.#number);
    this.#error = error;
    this.#attempt.deref()?.interrupt(error);
    for (const reject of this.#waiting) reject(error);
  }

  /**
   * Reads within the limit, also where the `fetch` does not obey its signal.
   *
   * @param isEnd - whether a result is the last
   */
  read(read: () => unknown, isEnd: (result: unknown) => boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#error !== undefined) throw this.#error;
      const settle = (isLast: boolean): void => {
        this.#waiting.delete(reject);
        if (isLast) this.clear();
      };
      const accept = (result: unknown): void => {
        settle(isEnd(result));
        resolve(result);
      };
      const refuse = (error: unknown): void => {
        settle(true);
        reject(this.#error ?? error);
      };
      this.#waiting.add(reject);
      Promise.resolve(read()).then(accept, refuse);
    });
  }
}

/** Keeps a value where the runtime has no weak references. A function of its own: its closure would share the value with the timer's. */
function keep<Value>(value: Value): { readonly deref: () => Value } {
  return { deref: () => value };
}

type Method = (...parameters: readonly unknown[]) => unknown;

function watchResponse(response: Response, limit: BodyLimit): void {
  for (const name of READERS) watchRead(response, name, limit);
  watchBody(response.body, limit);
  replace(response, 'clone', (clone) => () => {
    const copy = clone() as Response; // what clone() returns
    watchBody(response.body, limit); // the clone has split the body
    watchResponse(copy, limit);
    return copy;
  });
}

function watchBody(body: ReadableStream | null, limit: BodyLimit): void {
  if (body === null) return;
  watchEnd(body, 'cancel', limit);
  replace(body, 'getReader', (getReader) => (...parameters) => {
    const reader = Object(getReader(...parameters));
    watchRead(reader, 'read', limit, isDone);
    return watchEnd(reader, 'cancel', limit);
  });
  replace(body, Symbol.asyncIterator, (iterate) => (...parameters) => {
    const iterator = Object(iterate(...parameters));
    watchRead(iterator, 'next', limit, isDone);
    return watchEnd(iterator, 'return', limit);
  });
}

function isDone(result: unknown): boolean {
  return Object(result).done === true;
}

function watchRead(target: object, name: string, limit: BodyLimit, isEnd = (_result: unknown) => true): void {
  replace(
    target,
    name,
    (read) =>
      (...parameters) =>
        limit.read(() => read(...parameters), isEnd),
  );
}

/** Clears the timer once a method has ended the reading; returns its object. Half of a cloned body ends only with the other half. */
function watchEnd(target: object, name: string, limit: BodyLimit): object {
  replace(target, name, (end) => (...parameters) => {
    const ended = end(...parameters);
    Promise.resolve(ended).then(limit.clear, () => undefined);
    return ended;
  });
  return target;
}

/** Replaces a method of one object, if it has it: `bytes()` is newer than the others. */
function replace(target: object, name: PropertyKey, wrap: (method: Method) => Method): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') return;
  const value = wrap((...parameters) => method.apply(target, parameters));
  Reflect.defineProperty(target, name, { value, configurable: true, writable: true });
}
