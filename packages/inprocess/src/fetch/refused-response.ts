import { nextTurn } from '../time/clock.ts';

/** How much of a body is read to free its connection. Error pages are shorter; the rest would cost more than a new connection. */
const MAX_BYTES = 65_536;

/**
 * A response that is to be retried. Its body is read beside the wait, so that its connection can serve other requests; the response
 * stays readable, because the call may still end with it.
 */
export class RefusedResponse {
  readonly response: Response;
  readonly #copy: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isDone = false;

  constructor(response: Response) {
    this.response = response;
    this.#copy = readerOfCopy(response);
    void this.#read();
  }

  async #read(): Promise<void> {
    try {
      for (let bytes = 0; this.#copy !== undefined && bytes < MAX_BYTES; ) {
        const { done, value } = await this.#copy.read();
        if (done) this.#isDone = true;
        if (done) return;
        bytes += value.byteLength;
      }
    } catch {
      // Its connection broke, or the caller aborted.
    }
  }

  /**
   * Leaves the body to the caller: the call has ended with this response, or a mock answers with it again. The copy is cancelled, as it
   * would receive, and keep in memory, what the caller reads, and a cancel of the body would wait for it.
   */
  keep(): void {
    if (!this.#isDone && this.#copy !== undefined) allowLateCancel(this.response);
    this.#cancelCopy();
  }

  /** Cancels what has not been read yet. */
  discard(): void {
    if (this.#isDone) return;
    this.#cancelCopy();
    discardBody(this.response);
  }

  #cancelCopy(): void {
    this.#isDone = true;
    this.#copy?.cancel().catch(() => undefined);
  }

  /** Discards it in the next turn: a mock has answered by then, perhaps with the same response. */
  discardSoon(): void {
    nextTurn(() => this.discard());
  }
}

function readerOfCopy(response: Response): ReadableStreamDefaultReader<Uint8Array> | undefined {
  try {
    // A copy of a stream of Node would hold up the response itself.
    return response.body && 'getReader' in response.body ? response.clone().body?.getReader() : undefined;
  } catch {
    return undefined; // it is being read already
  }
}

/**
 * Lets the cancel of a body that is broken already resolve. Node 20 cancels the body of a request that is aborted; where the copy of it is
 * cancelled, that rejects, and Node leaves the rejection unhandled.
 */
function allowLateCancel({ body }: Response): void {
  if (body === null) return;
  const cancel = body.cancel.bind(body);
  const value = (reason?: unknown): Promise<void> =>
    body.locked ? cancel(reason) : cancel(reason).catch(() => undefined);
  Reflect.defineProperty(body, 'cancel', { value, configurable: true, writable: true });
}

/**
 * Ends a body that will not be read: it would keep its connection, or its file. That of node-fetch is a stream of Node, that of a mock may
 * be text, that of a request may be a generator.
 */
export function discardBody({ body }: { readonly body?: unknown }): void {
  const { cancel, destroy, return: leave } = Object(body);
  const end: unknown = cancel ?? destroy ?? leave;
  try {
    if (typeof end === 'function') Promise.resolve(end.call(body)).catch(() => undefined);
  } catch {
    // The response counts, whatever becomes of its body.
  }
}
