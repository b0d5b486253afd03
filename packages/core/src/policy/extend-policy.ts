import type { Problem } from '../errors.ts';
import { InvalidOptionsError } from '../errors.ts';
import { writtenIn } from '../fields/fields.ts';
import { readSafely } from '../fields/read-options.ts';
import type { Matcher } from '../matching/matcher.ts';
import { isRegExp, MAX_ITEMS } from '../read.ts';
import { definePolicy, isPolicy } from './define-policy.ts';
import type { Policy, PolicyInput } from './policy.ts';
import { settingsOf } from './settings.ts';
import type { Registry } from './strategy.ts';
import { registryOf, toInput } from './to-input.ts';

/**
 * Returns a new policy with the patch applied to the base. The lists `retryOn` and `stopOn` are united; any other key of
 * the patch replaces that of the base, except a key set to `undefined`.
 *
 * If the base has `retryOn: 'everything'` or `'nothing'`, a list in the patch replaces it. An empty `retryOn` is refused, as in a
 * policy; an empty `stopOn` adds nothing.
 *
 * @throws {InvalidOptionsError} when an argument or the result is invalid
 * @see docs/sources.md#inheritance (seed 004)
 */
export function extendPolicy(
  base: Policy | PolicyInput,
  patch: PolicyInput,
  registry: Registry = {},
): Policy {
  if (base === undefined) throw new InvalidOptionsError([NO_BASE]);
  // The lists of the patch may have iterators that throw.
  return readSafely(patch, 'policy', () => extend(base, patch, registry));
}

function extend(base: Policy | PolicyInput, patch: PolicyInput, registry: Registry): Policy {
  const policy = settingsOf(definePolicy(base, registry));
  const written = writtenIn(patch);
  if (written === undefined || isPolicy(patch)) throw wrongPatch(patch);
  const named = registryOf(policy);
  const names = {
    strategies: { ...named.strategies, ...registry.strategies },
    gates: { ...named.gates, ...registry.gates },
  };
  const lists = (['retryOn', 'stopOn'] as const).filter((key) => isUnited(key, written[key]));
  const merged = { ...toInput(policy), ...written };
  const united = settingsOf(
    definePolicy(
      { ...merged, ...pick(lists, (key) => [...listOf(policy[key]), ...(written[key] as Matchers)]) },
      names,
    ),
  );
  return definePolicy(
    { ...toInput(united), ...pick(lists, (key) => withoutDuplicates(listOf(united[key]))) },
    names,
  );
}

// It comes from a policy that was not found; `definePolicy` takes it for the defaults.
const NO_BASE: Problem = {
  path: 'base',
  value: undefined,
  message: 'must be a policy',
  cure: 'Use {} for the defaults.',
};

type Matchers = readonly Matcher[];

type MatcherKey = 'retryOn' | 'stopOn';

/**
 * A list that is too long is refused, as in a policy, and so is an empty `retryOn`: who writes it may mean `'nothing'`. An empty `stopOn`
 * adds nothing.
 */
function isUnited(key: MatcherKey, given: unknown): boolean {
  return Array.isArray(given) && given.length <= MAX_ITEMS && (key === 'stopOn' || given.length > 0);
}

function pick(keys: readonly MatcherKey[], listAt: (key: MatcherKey) => Matchers): PolicyInput {
  return Object.fromEntries(keys.map((key) => [key, listAt(key)]));
}

function listOf(matchers: Matchers | 'everything' | 'nothing'): Matchers {
  return typeof matchers === 'string' ? [] : matchers;
}

/** Removes duplicate matchers: classes and predicates are compared by identity, also inside of patterns; patterns by content. */
export function withoutDuplicates(matchers: Matchers): Matchers {
  const functions = new Map<unknown, string>();
  const known = new Map<string, Matcher>();
  for (const matcher of matchers) {
    const identity = identityOf(matcher, functions);
    if (!known.has(identity)) known.set(identity, matcher);
  }
  return [...known.values()];
}

/** Returns a text that is the same for equal matchers; `definePolicy` has ordered the keys of patterns. Functions are numbered. */
function identityOf(value: unknown, functions: Map<unknown, string>): string {
  if (typeof value === 'function') {
    const name = functions.get(value) ?? `function ${functions.size}`;
    functions.set(value, name);
    return name;
  }
  if (isRegExp(value)) return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = Object.entries(value).map(([key, each]) => `${key}: ${identityOf(each, functions)}`);
  return `{ ${inner.join()} }`;
}

/** Returns the error of a wrong patch: about its keys if they can be read, else about the patch as a whole. */
function wrongPatch(patch: unknown): unknown {
  if (isPolicy(patch)) return patchError(patch, 'must be the written changes, not a defined policy');
  try {
    definePolicy(patch as PolicyInput); // throws the error about its keys
  } catch (error) {
    if (error instanceof InvalidOptionsError && error.problems[0]?.path !== '') return error;
  }
  return patchError(patch, 'must be an object');
}

function patchError(value: unknown, message: string): InvalidOptionsError {
  return new InvalidOptionsError([{ path: '', value, message, cure: 'Use {} to change nothing.' }], 'patch');
}
