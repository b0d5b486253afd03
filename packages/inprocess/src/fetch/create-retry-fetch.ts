import type { Policy, PolicyInput } from '@retry/core';
import { RetryError } from '@retry/core';
import { withContext } from '../call/context.ts';
import type { RetryEvent } from '../call/events.ts';
import { openCall } from '../call/open.ts';
import type { RetryOptions } from '../call/options.ts';
import type { Target } from '../call/plan.ts';
import { createPlan } from '../call/plan.ts';
import { runCall } from '../call/run.ts';
import { Exchange } from './exchange.ts';
import type { AnyFetch, Fetch, FetchSettings, RequestEvent, RetryFetchOptions } from './options.ts';
import { readFetchOptions } from './options.ts';
import { hasReplayableBody, withOwnBody } from './request-body.ts';
import { callerSignal, outerSignal } from './request-signal.ts';
import type { SentRequest } from './sent-request.ts';
import { isIdempotent, readRequest } from './sent-request.ts';

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
export function createRetryFetch(policy?: Policy | PolicyInput, options?: RetryFetchOptions): Fetch;
/** Creates a `fetch` that retries, of one whose types are not those of `globalThis.fetch`. */
export function createRetryFetch(
  policy: Policy | PolicyInput | undefined,
  options: RetryFetchOptions<AnyFetch>,
): Fetch;
export function createRetryFetch(
  policy?: Policy | PolicyInput,
  options?: RetryFetchOptions<AnyFetch>,
): Fetch {
  const settings = readFetchOptions(policy, options);
  const { repeated, once } = settings;
  return async (input, init) => {
    const given = readRequest(input, init);
    const { request } = given;
    const caller = callerSignal(given);
    const isReplayable = hasReplayableBody(given);
    const isRepeated = mayRepeat(request, settings) && isReplayable;
    // A request that is sent once, and at once, is copied by `fetch`.
    const isCopied = isRepeated || (isReplayable && once.initialDelayMs > 0);
    const outer = outerSignal(caller);
    const exchange = new Exchange(isCopied ? withOwnBody(given) : given, outer, settings);
    const fn: Target = (context) => exchange.send(context);
    const callOptions = { ...callOptionsOf(settings, exchange), signal: caller };
    const retried = { fn, policy: isRepeated ? repeated : once, options: callOptions };
    const plan = { ...createPlan(retried, withContext), isResultGated: true, about: { request } };
    const call = openCall(plan, init === undefined ? [input] : [input, init]);
    return exchange.finish(call, runCall(plan, call));
  };
}

function callOptionsOf({ options }: FetchSettings, exchange: Exchange): RetryOptions<never> {
  const { fetch: _, methods: _m, isRepeatable: _i, replace: _r, until: _u, ...rest } = options;
  const { name = 'fetch' } = rest;
  const retryIfResult = (response: Response): boolean => exchange.refuses(response);
  const onRetry = (event: RetryEvent & RequestEvent): unknown => {
    try {
      return rest.onRetry?.(event);
    } finally {
      if (event.result !== undefined) exchange.keepRefused(event.result as Response); // what was refused
    }
  };
  const ofCall: unknown = { ...rest, name, retryIfResult, onRetry };
  return ofCall as RetryOptions<never>; // its events describe the request
}

function mayRepeat(request: SentRequest, { options, methods }: FetchSettings): boolean {
  const { isRepeatable } = options;
  if (isRepeatable === undefined) return isIdempotent(request, methods);
  const answer: unknown = isRepeatable(request);
  if (Object(answer).then === undefined) return Boolean(answer);
  Promise.resolve(answer).catch(() => undefined);
  throw new RetryError('ASYNC_GATE', 'isRepeatable must not return a promise. Await before the request.');
}
