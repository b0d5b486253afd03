/** A request as events describe it. */
export interface SentRequest {
  /** In upper case. */
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
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
 * TypeError like that of a failed connection, so it must be detected before the first attempt.
 */
export function checkRequest({ method, url }: SentRequest, init: RequestInit): void {
  const body = init.body === undefined || init.body === null ? null : '';
  new Request(url, { ...init, method, signal: null, body });
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
