import { InvalidOptionsError } from '@retry/core';

/** A request as events describe it. */
export interface SentRequest {
  /** The method, in upper case. */
  readonly method: string;
  /** The URL as it was given to `fetch`; that of a `Request`, if one was given. */
  readonly url: string;
  /** A copy, which every attempt is sent with: what `beforeRetry` sets in it is sent from then on. */
  readonly headers: Headers;
}

/** A request as it was when `fetch` was called: what the caller changes later is not sent. */
export interface GivenRequest {
  readonly request: SentRequest;
  /** The `Request` if one was given, else the URL. */
  readonly input: string | Request;
  /** What else is sent, with the headers of `request`. */
  readonly init: RequestInit;
}

/** The keys that `fetch` reads of an init, wherever they are inherited from; `dispatcher` is Node's. */
const INIT_KEYS = [
  ...['method', 'headers', 'body', 'mode', 'credentials', 'cache', 'redirect', 'referrer', 'referrerPolicy'],
  ...['integrity', 'keepalive', 'signal', 'duplex', 'priority', 'window', 'dispatcher'],
];

/** What `fetch` resets in a `Request` that it is given together with an init. */
const RESET_BY_INIT = ['referrer', 'referrerPolicy'] as const;

/** Idempotent by RFC 9110 section 9.2.2; QUERY is safe by its draft. */
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'];

/**
 * Reads the arguments of `fetch`, each once: an iterator of headers is used up by it.
 *
 * @throws {InvalidOptionsError} when the init is not an object
 * @throws {TypeError} when a header is invalid
 */
export function readRequest(
  input: string | URL | Request,
  given: RequestInit | null | undefined,
): GivenRequest {
  const source = requestOf(input);
  const init = readInit(given, source);
  const url = source?.url ?? `${input}`;
  const headers = new Headers(init.headers === undefined ? source?.headers : init.headers);
  const method = (init.method ?? source?.method ?? 'GET').toUpperCase();
  return { request: { method, url, headers }, input: source ?? url, init: { ...init, headers } };
}

/** Returns what an init says, as keys of its own: a `Request` and instances of other classes inherit theirs. */
function readInit(init: RequestInit | null | undefined, source: Request | undefined): RequestInit {
  const given = init ?? {};
  if (typeof given !== 'object') {
    const cure = "Use an object: fetch(url, { method: 'POST' }).";
    const problem = { path: 'init', value: init, message: 'must be an object', cure };
    throw new InvalidOptionsError([problem], 'fetch');
  }
  const read: Record<string, unknown> = { ...given };
  for (const key of INIT_KEYS) {
    const value: unknown = Object.hasOwn(read, key) ? undefined : Reflect.get(given, key);
    if (value !== undefined) read[key] = value;
  }
  // As `fetch` does, which makes text of null, too.
  if (read['method'] !== undefined) read['method'] = `${read['method']}`;
  for (const key of RESET_BY_INIT) {
    const value = source?.[key];
    if (value !== undefined && value !== 'about:client') read[key] ??= value;
  }
  return read;
}

/** Returns whether a request is idempotent, by its method or by an `Idempotency-Key`. */
export function isIdempotent({ method, headers }: SentRequest, methods: readonly string[]): boolean {
  return IDEMPOTENT.includes(method) || methods.includes(method) || headers.has('idempotency-key');
}

/**
 * Returns whether an error of `fetch` says that the request is invalid: a GET with a body, a wrong URL, a forbidden method. It is a
 * TypeError like that of a failed connection, in browsers without a cause; but then `Request` refuses the same.
 */
export function isRefusedRequest(error: unknown, { request, init }: GivenRequest): boolean {
  if (!isWithoutCause(error)) return false;
  const { method, url } = request;
  const body = init.body === undefined || init.body === null ? null : '';
  // What a relative URL is relative to, the `fetch` knows.
  const absolute = /^[a-z][a-z\d+.-]*:/i.test(url) ? url : 'http://relative.invalid/';
  try {
    return !new Request(absolute, { ...init, method, signal: null, body });
  } catch {
    return true;
  }
}

function isWithoutCause(error: unknown): boolean {
  try {
    return error instanceof TypeError && error.cause === undefined;
  } catch {
    return false; // a Proxy
  }
}

/** Returns the `Request` if one was given, also one of another implementation (undici's own). */
function requestOf(input: string | URL | Request): Request | undefined {
  return typeof input === 'object' && input !== null && 'method' in input ? input : undefined;
}
