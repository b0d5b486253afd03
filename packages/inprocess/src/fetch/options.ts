import type { Policy, PolicyInput, Problem } from '@retry/core';
import { definePolicy, extendPolicy, InvalidOptionsError, isPolicy } from '@retry/core';
import type { PolicySettings, Report } from '@retry/core/fields';
import { A_FUNCTION, isListOf, settingsOf } from '@retry/core/fields';
import { readOptions, rulesWithout } from '../call/check-options.ts';
import type { RetryEvent, RetryHooks } from '../call/events.ts';
import { ruleOf, SYNCHRONOUS } from '../call/option-rules.ts';
import type { RetryOptions } from '../call/options.ts';
import { fetchRefusals, httpPolicy } from './http-policy.ts';
import type { ResponseRules } from './response-rules.ts';
import { responseRulesOf } from './response-rules.ts';
import type { SentRequest } from './sent-request.ts';

/** The signature of `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A `fetch` of another implementation: undici's types of requests and responses are not those of a browser. */
export type AnyFetch = (input: never, init?: never) => Promise<Pick<Response, 'ok' | 'status' | 'text'>>;

/** What the events of a fetch say beside those of any call. Their `arguments` are those of `fetch`. */
export interface RequestEvent {
  readonly request: SentRequest;
}

type HookEvent<Name extends keyof RetryHooks> = Parameters<NonNullable<RetryHooks[Name]>>[0];

/** The hooks of `retry`; their events describe the request, too. */
export type RetryFetchHooks = {
  readonly [Name in keyof RetryHooks]?: ((event: HookEvent<Name> & RequestEvent) => unknown) | undefined;
} & {
  readonly beforeRetry?: ((event: RetryEvent & RequestEvent) => unknown) | undefined;
};

type CallOptions = Omit<
  RetryOptions<Response>,
  'signal' | 'retryIfResult' | 'parent' | keyof RetryFetchHooks
>;

/** The options of `retry`, and those of requests; the caller's signal belongs to each request. */
export interface RetryFetchOptions<OwnFetch extends AnyFetch = Fetch> extends CallOptions, RetryFetchHooks {
  /** @default globalThis.fetch, read at each request */
  readonly fetch?: OwnFetch | undefined;
  /** Methods that may be sent again, in addition to those that are idempotent by RFC 9110, and QUERY. */
  readonly methods?: readonly string[] | undefined;
  /**
   * Returns whether a request may be sent again; replaces the rule of its method and its `Idempotency-Key`. A body that
   * can be read only once is never sent again. Must be synchronous; the call rejects with an error that it throws.
   */
  readonly isRepeatable?: ((request: SentRequest) => boolean) | undefined;
  /** `true`: the policy is used alone. `false`: it extends {@link httpPolicy}. @default false */
  readonly replace?: boolean | undefined;
  /** Where the total timeout (`totalTimeout`) ends: with the response's body, or with its headers. @default 'body' */
  readonly until?: 'body' | 'headers' | undefined;
}

/** The checked arguments of `createRetryFetch`. */
export interface FetchSettings {
  /** The policy of requests that may be sent again. */
  readonly repeated: PolicySettings;
  /** The policy of other requests: one attempt. */
  readonly once: PolicySettings;
  /** What the policy says about responses. */
  readonly rules: ResponseRules;
  readonly options: RetryFetchOptions;
  /** The option `methods`, in upper case. */
  readonly methods: readonly string[];
}

/** The rules of the options of a call, without those that belong to each request, or that `createRetryFetch` sets by itself. */
const OF_CALLS = rulesWithout('signal', 'retryIfResult', 'parent');

/** The characters of a method, by RFC 9110. */
const METHOD = /^[!#$%&'*+.^_`|~\w-]+$/;

const isMethod = (value: unknown): boolean => typeof value === 'string' && METHOD.test(value);

const RULES = {
  ...OF_CALLS,
  fetch: A_FUNCTION,
  methods: ruleOf(
    (value) => isListOf(value, isMethod),
    'must be a list of HTTP methods',
    "Use methods: ['POST'] to send those again, too.",
  ),
  isRepeatable: SYNCHRONOUS,
  replace: ruleOf(
    (value) => typeof value === 'boolean',
    'must be true or false',
    'true: your policy is used alone, without httpPolicy.',
  ),
  until: ruleOf(
    (value) => value === 'body' || value === 'headers',
    'is not one of the choices',
    "Use 'body' or 'headers'.",
  ),
};

/**
 * Checks the arguments of `createRetryFetch`.
 *
 * @throws {InvalidOptionsError} listing every problem of the policy and the options
 */
export function readFetchOptions(
  policy: Policy | PolicyInput | undefined,
  options: unknown = {},
): FetchSettings {
  const problems: Problem[] = [];
  const report: Report = (problem) => void problems.push(problem);
  const cures = { signal: 'Pass it with each request: fetch(url, { signal }).' };
  const ofOptions: Problem[] = [];
  const checked = readOptions(options, RULES, {
    order: 'createRetryFetch(policy, options)',
    cures,
    report: (problem) => void ofOptions.push(problem),
  }) as RetryFetchOptions; // what its rules accept
  const isReplaced = ofOptions.length === 0 && checked.replace === true;
  const repeated = readPolicy(policy, { isReplaced, report });
  const all = [...problems, ...ofOptions];
  if (all.length > 0 || repeated === undefined) throw new InvalidOptionsError(all, 'createRetryFetch');
  return {
    repeated: settingsOf(repeated),
    once: settingsOf(extendPolicy(repeated, { retryable: false })),
    rules: responseRulesOf(settingsOf(repeated)),
    options: checked,
    methods: (checked.methods ?? []).map((method) => method.toUpperCase()),
  };
}

function readPolicy(
  policy: Policy | PolicyInput | undefined,
  { isReplaced, report }: { readonly isReplaced: boolean; readonly report: Report },
): Policy | undefined {
  try {
    const given = isReplaced ? definePolicy(policy) : addToHttp(policy);
    return extendPolicy(given, { stopOn: fetchRefusals });
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    for (const problem of error.problems) report(problem);
    return undefined;
  }
}

/** Extends `httpPolicy` by the input; a policy that is defined already keeps its options, and only the lists are united. */
function addToHttp(policy: Policy | PolicyInput = {}): Policy {
  if (!isPolicy(policy)) return extendPolicy(httpPolicy, policy);
  const { retryOn, stopOn } = settingsOf(httpPolicy);
  if (settingsOf(policy).retryOn === 'nothing') return extendPolicy(policy, { stopOn });
  return extendPolicy(policy, { retryOn, stopOn });
}
