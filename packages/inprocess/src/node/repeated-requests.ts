import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { errorMonitor } from 'node:events';

/** How often requests were sent again after they had failed, by one attempt. */
export class RequestTally {
  /** The most often that one request was sent; 1 where none failed and was sent again. */
  most = 1;
  readonly #sent = new Map<string, Sent>();

  /** Counts a request; `undefined` where too many different ones were sent. */
  add(key: string): Sent | undefined {
    const sent = this.#sent.get(key) ?? { times: 0, hasFailed: true };
    if (this.#sent.size >= MAX_KEYS && sent.times === 0) return undefined;
    this.#sent.set(key, sent);
    // One that is sent again although it has not failed is no retry: it polls, or runs beside the first.
    if (!sent.hasFailed) return sent;
    sent.times += 1;
    sent.hasFailed = false;
    this.most = Math.max(this.most, sent.times);
    return sent;
  }
}

/** One request of an attempt: method and address. */
interface Sent {
  times: number;
  hasFailed: boolean;
}

/** The most different requests of one attempt that are counted. */
const MAX_KEYS = 1_000;

/**
 * Counts what clients send by `fetch`, undici and `node:http` until the returned function is called.
 *
 * @param current - returns the tally of the attempt that is running around the caller
 */
export function watchRequests(current: () => RequestTally | undefined): () => void {
  const requests = new WeakMap<object, Sent>();
  const begin = (request: object, key: string): void => {
    const sent = current()?.add(key);
    if (sent !== undefined) requests.set(request, sent);
  };
  const fail = (request: object): void => {
    const sent = requests.get(request);
    if (sent !== undefined) sent.hasFailed = true;
  };
  const handlers: Readonly<Record<string, (message: Message) => void>> = {
    'undici:request:create': ({ request }) =>
      begin(request, `${request.method} ${request.origin}${request.path}`),
    'undici:request:headers': ({ request, response }) => {
      if (isFailure(response)) fail(request);
    },
    'undici:request:error': ({ request }) => fail(request),
    'http.client.request.start': ({ request }) => {
      begin(request, `${request.method} ${request.protocol}//${request.host}${request.path}`);
      // Not an `error` listener, which would hide that its owner has none.
      request.once?.(errorMonitor, () => fail(request));
    },
    'http.client.response.finish': ({ request, response }) => {
      if (isFailure(response)) fail(request);
    },
  };
  const subscribed = Object.entries(handlers).map(([name, handle]) => {
    const listener = (message: unknown): void => handle(message as Message); // as Node and undici publish it
    subscribe(name, listener);
    return () => void unsubscribe(name, listener);
  });
  return () => {
    for (const end of subscribed) end();
  };
}

function isFailure(response: Message['response']): boolean {
  return (response?.statusCode ?? 0) >= 400;
}

/** What the channels of undici and `node:http` publish, in part. */
interface Message {
  readonly request: {
    readonly method?: string;
    readonly origin?: unknown;
    readonly protocol?: string;
    readonly host?: string;
    readonly path?: string;
    readonly once?: (event: typeof errorMonitor, listener: () => void) => unknown;
  };
  readonly response?: { readonly statusCode?: number };
}
