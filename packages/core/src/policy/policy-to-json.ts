import type { Problem } from '../errors.ts';
import { InvalidOptionsError } from '../errors.ts';
import { checkPolicy } from './check-policy.ts';
import type { Policy, PolicyInput } from './policy.ts';
import { toInput } from './to-input.ts';

/** Whether the policy is data through and through: no class, predicate, nameless strategy or nameless gate. */
export function isSerializable(policy: Policy): boolean {
  checkPolicy(policy, 'isSerializable');
  return obstacles(policy).length === 0;
}

/**
 * The policy as plain JSON data that `parsePolicy` reads back to an equal policy. Only what was written is
 * written, in milliseconds; `Infinity` becomes the text `'Infinity'`.
 *
 * @throws {InvalidOptionsError} when the policy is not serializable; it names every obstacle
 */
export function policyToJSON(policy: Policy): PolicyInput {
  checkPolicy(policy, 'policyToJSON');
  const problems = obstacles(policy);
  if (problems.length > 0) throw new InvalidOptionsError(problems);
  return toJSON(toInput(policy)) as PolicyInput; // the same keys, with values that JSON can hold
}

/** The pattern as JSON data; `undefined` when it holds a class or a predicate. */
export function patternJSON(matcher: unknown): unknown {
  const json = toJSON(matcher);
  return hasFunction(json) ? undefined : json;
}

function obstacles({ backoff, retryIf, retryOn, stopOn }: Policy): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, value: unknown, cure: string): void => {
    problems.push({ path, value, message: 'cannot be written as JSON', cure });
  };
  if (backoff.type === 'custom' && backoff.name === undefined) {
    add('backoff.strategy', backoff.next, 'Name it: put it in a registry and write its name here.');
  }
  if (retryIf !== undefined && retryIf.name === undefined) {
    add('retryIf', retryIf.test, 'Name it: put it in a registry and write its name here.');
  }
  for (const [key, matchers] of Object.entries({ retryOn, stopOn })) {
    if (matchers === 'nothing') continue;
    matchers.forEach((matcher, index) => {
      if (hasFunction(matcher)) add(`${key}[${index}]`, matcher, "Describe it: { name: 'TimeoutError' }.");
    });
  }
  return problems;
}

function hasFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasFunction);
}

/** Infinity and regular expressions become what `definePolicy` reads them back from. */
function toJSON(value: unknown): unknown {
  if (value === Infinity) return 'Infinity';
  if (value instanceof RegExp) {
    const { source, flags } = value;
    return flags === '' ? { pattern: source } : { pattern: source, flags };
  }
  if (Array.isArray(value)) return value.map(toJSON);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJSON(inner)]));
}
