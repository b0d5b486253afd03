/** RFC 9110 section 9.2.2: a second time changes nothing more. */
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'];

/**
 * Whether a request may be sent again: its method is idempotent, or it carries an `Idempotency-Key`; and its
 * body is there a second time, which that of a stream, an iterable or a `Request` is not.
 */
export function isRepeatable(input: string | URL | Request, init: RequestInit = {}): boolean {
  const request = requestOf(input);
  const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
  const headers = new Headers(init.headers ?? request?.headers);
  if (!IDEMPOTENT.includes(method) && !headers.has('idempotency-key')) return false;
  return init.body === undefined ? (request?.body ?? null) === null : isReplayable(init.body);
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
