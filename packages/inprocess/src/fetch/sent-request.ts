import { InvalidOptionsError } from '@retry/core';

/** A request as events describe it. */
export interface SentRequest {
  /** In upper case. */
  readonly method: string;
  /** As it was given to `fetch`; of a `Request`, its own. */
  readonly url: string;
  /** A copy: what is changed in it is not sent. */
  readonly headers: Headers;
}

/** The keys that `fetch` reads of an init, wherever they are inherited from; `dispatcher` is Node's. */
const INIT_KEYS = [
  ...['method', 'headers', 'body', 'mode', 'credentials', 'cache', 'redirect', 'referrer', 'referrerPolicy'],
  ...['integrity', 'keepalive', 'signal', 'duplex', 'priority', 'window', 'dispatcher'],
];

/**
 * Returns what an init says, as keys of its own: a `Request` and instances of other classes inherit theirs.
 *
 * @throws {InvalidOptionsError} when it is not an object
 */
export function readInit(init: RequestInit | null | undefined): RequestInit {
  if (init === undefined || init === null) return {};
  if (typeof init !== 'object') {
    const cure = "Use an object: fetch(url, { method: 'POST' }).";
    throw new InvalidOptionsError(
      [{ path: 'init', value: init, message: 'must be an object', cure }],
      'fetch',
    );
  }
  const read: Record<string, unknown> = { ...init };
  for (const key of INIT_KEYS) {
    const value: unknown = Object.hasOwn(read, key) ? undefined : Reflect.get(init, key);
    if (value !== undefined) read[key] = value;
  }
  return read;
}

/** Idempotent by RFC 9110 section 9.2.2; QUERY is safe by its draft. */
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'];

/**
 * Returns the method, URL and headers of a request.
 *
 * @throws {TypeError} when a header is invalid
 */
export function describeRequest(input: string | URL | Request, init: RequestInit): SentRequest {
  const request = requestOf(input);
  return {
    method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
    url: request?.url ?? `${input}`,
    headers: new Headers(init.headers ?? request?.headers),
  };
}

/** Returns whether a request is idempotent, by its method or by an `Idempotency-Key`. */
export function isIdempotent({ method, headers }: SentRequest, methods: readonly string[]): boolean {
  return IDEMPOTENT.includes(method) || methods.includes(method) || headers.has('idempotency-key');
}

/** Returns whether the body can be sent again; that of a stream, an iterable or a `Request` cannot. */
export function hasReplayableBody(input: string | URL | Request, { body }: RequestInit): boolean {
  // For `null`, `fetch` sends the body of the Request, too.
  return body === undefined || body === null ? (requestOf(input)?.body ?? null) === null : isReplayable(body);
}

/**
 * Throws the error of `fetch` for a request that is invalid: a GET with a body, a wrong URL or a wrong header. It is a
 * TypeError like that of a failed connection, so it must be detected before the first attempt. A `fetch` of the user's may know what
 * a relative URL is relative to.
 */
export function checkRequest({ method, url }: SentRequest, init: RequestInit, own: unknown): void {
  const body = init.body === undefined || init.body === null ? null : '';
  const checked = own === undefined || isAbsolute(url) ? url : 'http://relative.invalid/';
  new Request(checked, { ...init, method, signal: null, body });
}

function isAbsolute(url: string): boolean {
  try {
    return Boolean(new URL(url));
  } catch {
    return false;
  }
}

/** Returns the `Request` if one was given, also one of another implementation (undici's own). */
export function requestOf(input: string | URL | Request): Request | undefined {
  return typeof input === 'object' && 'method' in input ? input : undefined;
}

/** Text, bytes, forms and blobs can be read again; streams and iterables cannot. */
function isReplayable(body: unknown): boolean {
  if (typeof body === 'string' || ArrayBuffer.isView(body)) return true;
  return [ArrayBuffer, URLSearchParams, FormData, Blob].some((kind) => body instanceof kind);
}
