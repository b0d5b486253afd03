import type { Policy, PolicyInput, Problem } from '@retry/core';
import { definePolicy, extendPolicy, InvalidOptionsError, isPolicy } from '@retry/core';
import type { Report } from '@retry/core/fields';
import { A_FUNCTION } from '@retry/core/fields';
import { checkOptions, OPTION_KEYS } from '../check-options.ts';
import { ruleOf, SYNCHRONOUS } from '../option-rules.ts';
import type { RetryFetchOptions } from './create-retry-fetch.ts';
import { fetchRefusals, httpPolicy } from './http-policy.ts';

/** What a retrying fetch works by. */
export interface FetchSettings {
  /** For requests that may be sent again. */
  readonly repeated: Policy;
  /** For the others. */
  readonly once: Policy;
  readonly options: RetryFetchOptions;
  /** In upper case. */
  readonly methods: readonly string[];
}

/** Options of a call that come with each request, or that a fetch answers by itself. */
const NOT_HERE: readonly string[] = ['signal', 'retryIfResult', 'parent'];

const RULES = {
  fetch: A_FUNCTION,
  methods: ruleOf(
    (value) => Array.isArray(value) && value.every((method) => typeof method === 'string' && method !== ''),
    'must be a list of HTTP methods',
    "Use methods: ['POST'] to send those again, too.",
  ),
  isRepeatable: SYNCHRONOUS,
  replace: ruleOf(
    (value) => typeof value === 'boolean',
    'must be true or false',
    'true: your policy stands for itself, and httpPolicy adds nothing.',
  ),
  until: ruleOf(
    (value) => value === 'body' || value === 'headers',
    'is not one of the choices',
    "Use 'body' or 'headers'.",
  ),
};

/**
 * Reads what `createRetryFetch` is given.
 *
 * @throws {InvalidOptionsError} listing every problem of the policy and the options
 */
export function readFetchOptions(
  policy: Policy | PolicyInput | undefined,
  options: unknown = {},
): FetchSettings {
  const problems: Problem[] = [];
  const report: Report = (problem) => void problems.push(problem);
  const keys = OPTION_KEYS.filter((key) => !NOT_HERE.includes(key));
  const cures = { signal: 'Give it with each request: fetch(url, { signal }).' };
  const ofOptions: Problem[] = [];
  checkOptions(
    options,
    { keys, others: RULES, cures, order: 'createRetryFetch(policy, options)' },
    (problem) => void ofOptions.push(problem),
  );
  const isReplaced = ofOptions.length === 0 && (options as RetryFetchOptions).replace === true; // checked above
  const repeated = readPolicy(policy, { isReplaced, report });
  const all = [...problems, ...ofOptions];
  if (all.length > 0 || repeated === undefined) throw new InvalidOptionsError(all, 'createRetryFetch');
  const checked = options as RetryFetchOptions; // checked above
  return {
    repeated,
    once: extendPolicy(repeated, { retryable: false }),
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

/** What is written goes on top of `httpPolicy`; of a policy that is defined already the lists are united with its. */
function addToHttp(policy: Policy | PolicyInput = {}): Policy {
  definePolicy(policy); // what is wrong with it alone, before it is mixed
  if (!isPolicy(policy)) return extendPolicy(httpPolicy, policy);
  const { retryOn, stopOn } = httpPolicy;
  if (policy.retryOn === 'nothing') return extendPolicy(policy, { stopOn });
  return extendPolicy(policy, { retryOn, stopOn });
}
