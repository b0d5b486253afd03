import type { ServerDelay } from './decision.ts';
import type { HeaderSource } from './parse-server-delay.ts';
import { parseServerDelay } from './parse-server-delay.ts';
import { serverDelayOf } from './server-delay.ts';

interface HeaderCarrier {
  readonly headers?: HeaderSource | null;
  readonly response?: { readonly headers?: HeaderSource | null } | null;
}

/**
 * What a thrown error, or a `Response`, says about when to come back: a `RetryAfterError`'s own delay, else
 * the headers at `headers` or `response.headers` (fetch, axios, ky, got).
 *
 * @param nowAt - epoch milliseconds, for an HTTP date that comes without a `Date` header
 */
export function readServerDelay(source: unknown, nowAt: number): ServerDelay {
  const marked = serverDelayOf(source);
  if (marked.type !== 'absent' || typeof source !== 'object' || source === null) return marked;

  const carrier = source as HeaderCarrier; // any object may be read by these keys
  const headers = carrier.headers ?? carrier.response?.headers;
  return typeof headers === 'object' && headers !== null ? parseServerDelay(headers, nowAt) : marked;
}
