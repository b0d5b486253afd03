import type { Attributes, Context } from '@opentelemetry/api';
import { context, createContextKey } from '@opentelemetry/api';

/** How often what an attempt calls was called before by its call. */
const RESENDS = createContextKey('retry resends');

/** Returns the context of an attempt of a call in this process, counted from 1. */
export function withResends(around: Context, attempt: number): Context {
  return attempt > 1 ? around.setValue(RESENDS, attempt - 1) : around;
}

/**
 * Returns the attribute `http.request.resend_count` for the span of an HTTP client, where the request is sent again by a call in this
 * process; none otherwise. Give it to the instrumentation of the client: as `startSpanHook` to that of undici, which is `fetch`, as
 * `startOutgoingSpanHook` to that of `node:http`.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span
 */
export function resendAttributes(): Attributes {
  const resends = context.active().getValue(RESENDS);
  return typeof resends === 'number' ? { 'http.request.resend_count': resends } : {};
}
