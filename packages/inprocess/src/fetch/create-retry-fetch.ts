import type { Policy, PolicyInput } from '@retry/core';
import { httpTransient, InvalidOptionsError, RetryError } from '@retry/core';
import type { PolicySettings } from '@retry/core/fields';
import { findMatch } from '@retry/core/fields';
import { OPTION_RULES } from '../call/check-options.ts';
import { AttemptWithContext } from '../call/context.ts';
import { openNested } from '../call/open.ts';
import type { RetryOptions } from '../call/options.ts';
import type { Target } from '../call/plan.ts';
import { createPlan } from '../call/plan.ts';
import { runCall } from '../call/run.ts';
import { LAYERS_WITH_CONTEXT } from '../retry.ts';
import { limitBody } from './limit-body.ts';
import type { Fetch, FetchSettings, RetryFetchOptions } from './options.ts';
import { readFetchOptions } from './options.ts';
import { releaseAfter, requestSignal } from './request-signal.ts';
import type { SentRequest } from './sent-request.ts';
import {
  checkRequest,
  describeRequest,
  hasReplayableBody,
  isIdempotent,
  readInit,
  requestOf,
} from './sent-request.ts';

/**
 * Creates a `fetch` that retries where that is safe: failed connections, and responses whose status the policy's
 * `retryOn` names (408, 425, 429, 500, 502, 503, 504 if it names none), for requests that may be repeated. It follows
 * `Retry-After`, and returns the last response, as `fetch` does. A failure that a retry cannot fix rejects immediately.
 *
 * The policy's `totalTimeout` limits everything, the reading of the body included; `attemptTimeout` limits the time to
 * the headers of each response.
 *
 * @param policy - extends {@link httpPolicy}, and its `retryOn` and `stopOn` are added to those of it, unless the
 *   option `replace` is `true`
 * @throws {InvalidOptionsError} when the policy or the options are invalid
 */
export function createRetryFetch(policy?: Policy | PolicyInput, options?: RetryFetchOptions): Fetch {
  const settings = readFetchOptions(policy, options);
  const { repeated, once } = settings;
  const callOptions = callOptionsOf(settings);
  return async (input, init) => {
    const given = readInit(init);
    const request = describeRequest(input, given);
    const signal = callerSignal(input, given);
    const isSafe = mayRepeat(request, settings) && hasReplayableBody(input, given);
    if (isSafe) checkRequest(request, given, settings.options.fetch);
    const fn = sender(settings, input, { ...given, signal: signal ?? null }) as Target; // the loop passes the context
    const retried = { fn, policy: isSafe ? repeated : once, options: { ...callOptions, signal } };
    const plan = { ...createPlan(retried, LAYERS_WITH_CONTEXT), isResultGated: true, about: { request } };
    const call = openNested(plan, init === undefined ? [input] : [input, init]);
    return runCall(plan, call) as Promise<Response>; // what the sender returns
  };
}

function callOptionsOf({ repeated, options }: FetchSettings): RetryOptions<never> {
  const { fetch: _, methods: _m, isRepeatable: _i, replace: _r, until: _u, ...rest } = options;
  const retryIfResult = (response: Response): boolean =>
    matchesAny(retriedResponses(repeated), response) && !matchesAny(repeated.stopOn, response);
  const name = rest.name ?? 'fetch';
  return { ...rest, name, retryIfResult } as RetryOptions<never>; // its events describe the request
}

/** Returns the signal of a request; a wrong one is refused, because it would never abort. */
function callerSignal(input: string | URL | Request, init: RequestInit): AbortSignal | undefined {
  // `null` removes the signal of a Request, as it does for `fetch`.
  const signal = init.signal === undefined ? requestOf(input)?.signal : (init.signal ?? undefined);
  const { accepts, message, cure } = OPTION_RULES.signal;
  if (signal === undefined || accepts(signal)) return signal;
  throw new InvalidOptionsError([{ path: 'signal', value: signal, message, cure }], 'fetch');
}

function mayRepeat(request: SentRequest, { options, methods }: FetchSettings): boolean {
  const { isRepeatable } = options;
  if (isRepeatable === undefined) return isIdempotent(request, methods);
  const answer: unknown = isRepeatable(request);
  if (Object(answer).then === undefined) return Boolean(answer);
  Promise.resolve(answer).catch(() => undefined);
  throw new RetryError('ASYNC_GATE', 'isRepeatable must not return a promise. Await before the request.');
}

/** Returns the function of an attempt: it discards the response of the attempt before, then sends the request. */
function sender(
  { options }: FetchSettings,
  input: string | URL | Request,
  init: RequestInit,
): (context: unknown) => Promise<Response> {
  const fetch = options.fetch ?? globalThis.fetch;
  let refused: Response | undefined;
  let cancelLimit: (() => void) | undefined;
  return async (context) => {
    if (!(context instanceof AttemptWithContext)) throw new TypeError('a sender needs an attempt');
    if (refused !== undefined) cancelBody(refused);
    cancelLimit?.();
    const { signal, release } = requestSignal(init.signal, context);
    let response: Response;
    try {
      response = await fetch(input, { ...init, signal });
    } catch (error) {
      release?.();
      throw error;
    }
    if (release !== undefined) releaseAfter(response, release);
    if (context.isInterrupted) {
      // This `fetch` does not obey its signal; no caller waits for the response.
      cancelBody(response);
      return response;
    }
    refused = response;
    if (options.until !== 'headers') cancelLimit = limitBody(response, context);
    return response;
  };
}

/** A body that is not read would keep its connection. */
function cancelBody({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}

/** A policy that names no errors retries every error, but not every response. */
function retriedResponses({ retryOn }: PolicySettings): PolicySettings['retryOn'] {
  return retryOn === 'everything' ? httpTransient : retryOn;
}

function matchesAny(matchers: PolicySettings['retryOn'], response: Response): boolean {
  return typeof matchers !== 'string' && findMatch(matchers, response) !== -1;
}
