import { PolicyError } from '../errors.ts';
import type { MatcherInput } from '../matching/matcher.ts';
import { definePolicy } from './define-policy.ts';
import type { Policy, PolicyInput, Registry } from './policy.ts';
import { patternJSON } from './policy-to-json.ts';
import { registryOf, toInput } from './to-input.ts';

/**
 * A new policy with the patch on top of the base: the lists `retryOn` and `stopOn` are united, every other
 * key that the patch writes wins. A key set to `undefined` is not written.
 *
 * The base's `retryOn: 'nothing'`, or an empty one, adds nothing to a union.
 *
 * @throws {PolicyError} when the result is invalid
 * @see docs/sources.md#inheritance (seed 004)
 */
export function extendPolicy(
  base: Policy | PolicyInput,
  patch: PolicyInput,
  registry: Registry = {},
): Policy {
  const policy = definePolicy(base, registry);
  if (typeof patch !== 'object' || patch === null) throw notAnObject(patch);
  const named = registryOf(policy);
  const names = {
    strategies: { ...named.strategies, ...registry.strategies },
    gates: { ...named.gates, ...registry.gates },
  };
  const written = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const lists = (['retryOn', 'stopOn'] as const).filter((key) => Array.isArray(patch[key]));
  const merged = { ...toInput(policy), ...written };
  const united = definePolicy(
    { ...merged, ...pick(lists, (key) => [...listOf(policy[key]), ...listOf(patch[key])]) },
    names,
  );
  return definePolicy({ ...toInput(united), ...pick(lists, (key) => once(listOf(united[key]))) }, names);
}

type Matchers = readonly MatcherInput[];

type MatcherKey = 'retryOn' | 'stopOn';

function pick(keys: readonly MatcherKey[], listAt: (key: MatcherKey) => Matchers): PolicyInput {
  return Object.fromEntries(keys.map((key) => [key, listAt(key)]));
}

function listOf(matchers: Matchers | 'nothing' | undefined): Matchers {
  return matchers === undefined || matchers === 'nothing' ? [] : matchers;
}

/** Each matcher once: classes and predicates by identity, patterns by content. */
function once(matchers: Matchers): Matchers {
  return matchers.filter((matcher, index) => matchers.findIndex((known) => isSame(known, matcher)) === index);
}

function notAnObject(value: unknown): PolicyError {
  return new PolicyError([
    { path: '', value, message: 'must be an object', cure: 'Use {} to change nothing.' },
  ]);
}

/** Both have been defined, so that their keys stand in one order. */
function isSame(one: MatcherInput, other: MatcherInput): boolean {
  if (one === other) return true;
  const json = patternJSON(one);
  return json !== undefined && JSON.stringify(json) === JSON.stringify(patternJSON(other));
}
