/** What is read of a request before it is sent, and passed on in events. */
export interface SentRequest {
  /** In upper case. */
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

/** RFC 9110 section 9.2.2: a second time changes nothing more. QUERY is safe by its draft. */
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'];

/**
 * What a request is made of.
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

/** Whether a second time changes nothing more: the method is idempotent, or the request has an `Idempotency-Key`. */
export function isIdempotent({ method, headers }: SentRequest, methods: readonly string[]): boolean {
  return IDEMPOTENT.includes(method) || methods.includes(method) || headers.has('idempotency-key');
}

/** Whether the body is there a second time, which that of a stream, an iterable or a `Request` is not. */
export function hasReplayableBody(input: string | URL | Request, { body }: RequestInit): boolean {
  return body === undefined ? (requestOf(input)?.body ?? null) === null : isReplayable(body);
}

/**
 * Throws what `fetch` throws for a request that cannot be made at all: of a GET with a body, a wrong URL or a wrong
 * header. It is a TypeError, as that of a connection that fails, so it has to be found out before.
 */
export function checkRequest({ method, url }: SentRequest, init: RequestInit): void {
  const body = init.body === undefined || init.body === null ? null : '';
  new Request(url, { ...init, method, signal: null, body });
}

/** The request where one was given, also one of another copy of fetch (undici's own). */
export function requestOf(input: string | URL | Request): Request | undefined {
  return typeof input === 'object' && 'method' in input ? input : undefined;
}

/** Text, bytes, forms and blobs; anything that can be read only once is not. */
function isReplayable(body: unknown): boolean {
  if (body === null || typeof body === 'string' || ArrayBuffer.isView(body)) return true;
  return [ArrayBuffer, URLSearchParams, FormData, Blob].some((kind) => body instanceof kind);
}
