import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy, extendPolicy, httpTransient, matchesError } from '@retry/core';
import type { AttemptContext } from '../attempt-context.ts';
import type { RetryOptions } from '../options.ts';
import { retry } from '../retry.ts';
import { httpPolicy } from './http-policy.ts';
import { isRepeatable, requestOf } from './repeatable.ts';
import { releaseAfter, requestSignal } from './request-signal.ts';

/** What `fetch` takes and gives. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** As for `retry`; the caller's signal comes with each request. */
export interface RetryFetchOptions extends Omit<RetryOptions<Response>, 'signal' | 'retryResult' | 'parent'> {
  /** @default globalThis.fetch of the moment */
  readonly fetch?: Fetch;
}

/**
 * A `fetch` that tries again where that is safe: connections that failed, and answers that the policy's `retryOn`
 * names by status (408, 425, 429, 500, 502, 503, 504 where it names nothing), for requests that may be repeated.
 * It obeys `Retry-After`, and gives the last answer, as `fetch` does. A timeout bounds the time to the answer's
 * head, not that of its body.
 *
 * @param policy - @default {@link httpPolicy}
 * @throws {PolicyError} when the policy is invalid
 */
export function createRetryFetch(
  policy: Policy | PolicyInput = httpPolicy,
  { fetch: given, ...options }: RetryFetchOptions = {},
): Fetch {
  const repeated = definePolicy(policy);
  const once = extendPolicy(repeated, { retryable: false });
  const retryResult = (response: Response): boolean =>
    matchesAny(answersOf(repeated), response) && !matchesAny(repeated.stopOn, response);

  return async (input, init = {}) => {
    const signal = init.signal ?? requestOf(input)?.signal;
    const send = sender(given ?? globalThis.fetch, input, { ...init, signal: signal ?? null });
    const isSafe = isRepeatable(input, init);
    // One that cannot be made at all throws a TypeError too: it is told here, before connections can fail.
    if (isSafe) new Request(requestOf(input)?.url ?? `${input}`, { ...init, signal: null, body: null });
    return retry(isSafe ? repeated : once, send, { ...options, signal, retryResult });
  };
}

/** Sends the request once for each attempt, and lets go of the answer that the attempt before it got. */
function sender(
  fetch: Fetch,
  input: string | URL | Request,
  init: RequestInit,
): (context: AttemptContext) => Promise<Response> {
  let refused: Response | undefined;
  return async (context) => {
    // A body that nobody reads would keep its connection.
    refused?.body?.cancel().catch(() => undefined);
    const { signal, release } = requestSignal(init.signal, context);
    try {
      refused = await fetch(input, { ...init, signal });
    } catch (error) {
      release?.();
      throw error;
    }
    if (release !== undefined) releaseAfter(refused, release);
    return refused;
  };
}

/** A policy that names no errors means every error, but not every answer. */
function answersOf({ retryOn }: Policy): Policy['retryOn'] {
  return retryOn.length === 0 ? httpTransient : retryOn;
}

function matchesAny(matchers: Policy['retryOn'], response: Response): boolean {
  return matchers !== 'nothing' && matchers.some((matcher) => matchesError(matcher, response));
}
