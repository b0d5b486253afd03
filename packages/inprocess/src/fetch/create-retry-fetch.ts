import type { Policy, PolicyInput } from '@retry/core';
import { httpTransient, InvalidOptionsError, matchesError, RetryError } from '@retry/core';
import { ToldAttempt } from '../attempt-context.ts';
import { openNested } from '../open-nested.ts';
import { OPTION_RULES } from '../option-rules.ts';
import type { RetryEvent, RetryHooks, RetryOptions } from '../options.ts';
import type { Target } from '../plan.ts';
import { createPlan } from '../plan.ts';
import { TOLD } from '../retry.ts';
import { runCall } from '../run-call.ts';
import { limitBody } from './limit-body.ts';
import type { FetchSettings } from './read-fetch-options.ts';
import { readFetchOptions } from './read-fetch-options.ts';
import { releaseAfter, requestSignal } from './request-signal.ts';
import type { SentRequest } from './sent-request.ts';
import { checkRequest, describeRequest, hasReplayableBody, isIdempotent, requestOf } from './sent-request.ts';

/** What `fetch` takes and gives. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What events of a fetch say beside the others: the request. Its `arguments` are those of `fetch`. */
export interface RequestEvent {
  readonly request: SentRequest;
}

type HookEvent<Name extends keyof RetryHooks> = Parameters<NonNullable<RetryHooks[Name]>>[0];

/** The hooks of `retry`, whose events have the request, too. */
export type RetryFetchHooks = {
  readonly [Name in keyof RetryHooks]?: ((event: HookEvent<Name> & RequestEvent) => unknown) | undefined;
} & {
  readonly beforeRetry?: ((event: RetryEvent & RequestEvent) => unknown) | undefined;
};

type CallOptions = Omit<
  RetryOptions<Response>,
  'signal' | 'retryIfResult' | 'parent' | keyof RetryFetchHooks
>;

/** As for `retry`; the caller's signal comes with each request. */
export interface RetryFetchOptions extends CallOptions, RetryFetchHooks {
  /** @default globalThis.fetch of the moment */
  readonly fetch?: Fetch | undefined;
  /** Methods that may be sent again, beside those that are idempotent by RFC 9110, and QUERY. */
  readonly methods?: readonly string[] | undefined;
  /**
   * Whether a request may be sent again; asked instead of looking at its method and its `Idempotency-Key`. A body that
   * can be read only once is never sent again. Must be synchronous; what it throws is what the caller gets.
   */
  readonly isRepeatable?: ((request: SentRequest) => boolean) | undefined;
  /** `true`: the policy stands for itself. `false`: it adds to {@link httpPolicy}. @default false */
  readonly replace?: boolean | undefined;
  /** What the total timeout (`totalTimeout`) lasts to: the end of the answer's body, or its head. @default 'body' */
  readonly until?: 'body' | 'headers' | undefined;
}

/**
 * A `fetch` that tries again where that is safe: connections that failed, and answers that the policy's `retryOn`
 * names by status (408, 425, 429, 500, 502, 503, 504 where it names nothing), for requests that may be repeated.
 * It obeys `Retry-After`, and gives the last answer, as `fetch` does. What can never succeed fails at once.
 *
 * The policy's `totalTimeout` bounds everything, the reading of the body included; `attemptTimeout` bounds the time to
 * the head of each answer.
 *
 * @param policy - what it writes goes on top of {@link httpPolicy}, and its `retryOn` and `stopOn` add to those of it,
 *   unless the option `replace` is `true`
 * @throws {InvalidOptionsError} when the policy or the options are invalid
 */
export function createRetryFetch(policy?: Policy | PolicyInput, options?: RetryFetchOptions): Fetch {
  const settings = readFetchOptions(policy, options);
  const { repeated, once } = settings;
  const callOptions = callOptionsOf(settings);
  return async (input, init) => {
    const given = init ?? {};
    const request = describeRequest(input, given);
    const signal = callerSignal(input, given);
    const isSafe = mayRepeat(request, settings) && hasReplayableBody(input, given);
    if (isSafe) checkRequest(request, given);
    const fn = sender(settings, input, { ...given, signal: signal ?? null }) as Target; // the loop passes the context
    const retried = { fn, policy: isSafe ? repeated : once, options: { ...callOptions, signal } };
    const plan = { ...createPlan(retried, TOLD), about: { request } };
    const call = openNested(plan, init === undefined ? [input] : [input, init]);
    return runCall(plan, call, undefined, undefined) as Promise<Response>; // what the sender gives
  };
}

function callOptionsOf({ repeated, options }: FetchSettings): RetryOptions<never> {
  const { fetch: _, methods: _m, isRepeatable: _i, replace: _r, until: _u, ...rest } = options;
  const retryIfResult = (response: Response): boolean =>
    matchesAny(answersOf(repeated), response) && !matchesAny(repeated.stopOn, response);
  return { name: 'fetch', ...rest, retryIfResult: retryIfResult } as RetryOptions<never>; // its events have the request
}

/** A signal of the caller's own is checked: a wrong one would never abort. */
function callerSignal(input: string | URL | Request, init: RequestInit): AbortSignal | undefined {
  // `null` takes away the signal of a Request, as it does for `fetch`.
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
  throw new RetryError(
    'ASYNC_GATE',
    'isRepeatable must answer at once, got a promise. Await before the request.',
  );
}

/** Sends the request once for each attempt, and lets go of the answer that the attempt before it got. */
function sender(
  { options }: FetchSettings,
  input: string | URL | Request,
  init: RequestInit,
): (context: unknown) => Promise<Response> {
  const fetch = options.fetch ?? globalThis.fetch;
  let refused: Response | undefined;
  let cancelLimit: (() => void) | undefined;
  return async (context) => {
    if (!(context instanceof ToldAttempt)) throw new TypeError('a sender takes an attempt');
    // A body that nothing reads would keep its connection.
    refused?.body?.cancel().catch(() => undefined);
    cancelLimit?.();
    const { signal, release } = requestSignal(init.signal, context);
    try {
      refused = await fetch(input, { ...init, signal });
    } catch (error) {
      release?.();
      throw error;
    }
    if (release !== undefined) releaseAfter(refused, release);
    if (options.until !== 'headers') cancelLimit = limitBody(refused, context);
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
