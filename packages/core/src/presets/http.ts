import type { ErrorPattern } from '../matching/matcher.ts';
import { type ErrorFamily, family, globs, globsOfAnyCase, joined } from './family.ts';
import { GAVE_UP, NEVER_CONNECTS, REFUSED_REQUEST, REFUSED_STATEMENT } from './permanent.ts';

const byStatus = /* @__PURE__ */ family({
  notApplied: [
    // 521 and 523: Cloudflare could not connect. 529: Anthropic is overloaded.
    { status: [425, 429, 521, 523, 529] },
    { status: [403, 413, 503], retryAfter: true },
    { name: ['*RateLimit*', '*Ratelimit*', '*TooManyRequests*'] },
    { message: globsOfAnyCase('rate limit exceeded*', '*too many requests*') },
    // Slack's client, of a 429 without a delay that it can read.
    { message: globs('Retry header did not contain a valid timeout*') },
  ],
  ambiguous: [
    { status: [408, 500, 502, 504, 520, 522, 524, 527, 598, 599] },
    { status: 503, unless: { retryAfter: true } },
    {
      name: [
        'InternalServerError',
        '*ServiceUnavailable*',
        '*ServiceNotAvailable*',
        '*BadGateway*',
        '*GatewayTimeout*',
        // Vercel Blob: any 5xx but 503; what a request has wrong is another class.
        'BlobUnknownError',
      ],
    },
    // A client that gave up its own retries: it took each of the errors for one that may pass, and shows the last alone.
    { name: ['*RetryError', '*MaxRetries*', '*RetriesExceeded*'] },
    {
      message: globsOfAnyCase(
        '*bad gateway*',
        '*service unavailable*',
        '*gateway timeout*',
        '*gateway time-out*',
        '*internal server error*',
        '*retryable status*',
      ),
    },
    // The page of a proxy, in place of JSON.
    { message: globs("*Unexpected token '<', \"<html>*") },
  ],
  // The status of an answer of JetStream is not one of HTTP: `nats` knows it.
  unless: [
    ...NEVER_CONNECTS,
    ...REFUSED_REQUEST,
    ...REFUSED_STATEMENT,
    ...GAVE_UP,
    { name: 'JetStreamApiError' },
  ],
});

/** A server, SDK or client that says itself that a repetition may succeed. */
const byHint = /* @__PURE__ */ family({
  notApplied: [],
  ambiguous: [{ retryable: true, unless: { message: globs('The producer is disconnected') } }],
  unless: [
    ...NEVER_CONNECTS,
    ...GAVE_UP,
    // Service Bus and Event Hubs say so of a message that is too large, too: `azure` knows better.
    { name: ['MessagingError', 'ServiceBusError'] },
  ],
});

/**
 * Matches HTTP statuses that may pass, wherever clients keep them. Not applied: 425, 429, 521, 523, 529; 403, 413 and 503 with a delay
 * that the server asks for; errors named after a rate limit. Ambiguous: 408, 500, 502, 503, 504, 520, 522, 524, and what says itself
 * that it may be retried (`x-should-retry`, `stripe-should-retry`, `$retryable`, `isRetryable`, `retriable`, `canRetry`, `transient`).
 */
export const http: ErrorFamily = /* @__PURE__ */ joined(
  byStatus.notApplied,
  /* @__PURE__ */ concat(byStatus.ambiguous, byHint.ambiguous),
);

/** A call, which bundlers leave out with its result; a spread they keep. */
function concat(...lists: readonly (readonly ErrorPattern[])[]): readonly ErrorPattern[] {
  return Object.freeze(lists.flat());
}
