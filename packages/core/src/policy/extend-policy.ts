import type { Matcher, MatcherInput } from '../matching/matcher.ts';
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
  const written = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const named = registryOf(policy);
  const merged = {
    ...toInput(policy),
    ...written,
    ...(isList(patch.retryOn) && { retryOn: unite(policy.retryOn, patch.retryOn) }),
    ...(isList(patch.stopOn) && { stopOn: unite(policy.stopOn, patch.stopOn) }),
  };
  return definePolicy(merged, {
    strategies: { ...named.strategies, ...registry.strategies },
    gates: { ...named.gates, ...registry.gates },
  });
}

/** Anything else is left to `definePolicy` to judge. */
function isList(matchers: unknown): boolean {
  return Array.isArray(matchers);
}

function unite(
  base: readonly Matcher[] | 'nothing',
  patch: readonly MatcherInput[] | 'nothing' | undefined,
): readonly MatcherInput[] {
  const all: MatcherInput[] = [];
  for (const matcher of [
    ...(base === 'nothing' ? [] : base),
    ...(isList(patch) ? (patch as MatcherInput[]) : []),
  ]) {
    if (!all.some((known) => isSame(known, matcher))) all.push(matcher);
  }
  return all;
}

function isSame(one: MatcherInput, other: MatcherInput): boolean {
  if (one === other) return true;
  const json = patternJSON(one);
  return json !== undefined && JSON.stringify(json) === JSON.stringify(patternJSON(other));
}
