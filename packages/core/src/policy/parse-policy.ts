import type { Problem } from '../errors.ts';
import { InvalidOptionsError } from '../errors.ts';
import { definePolicy } from './define-policy.ts';
import type { Policy, PolicyInput, Registry } from './policy.ts';

/**
 * Reads a policy from a file's text or from parsed JSON, as `policyToJSON` or a person wrote it.
 *
 * @param source - JSON text, or what `JSON.parse` made of it
 * @param registry - strategies and gates that the policy refers to by name
 * @throws {InvalidOptionsError} when anything is wrong; it lists every problem with its path, value and cure
 */
export function parsePolicy(source: unknown, registry: Registry = {}): Policy {
  const input = typeof source === 'string' ? parseText(source) : source;
  // Nothing at all is what a missing file, or a missing key, gives; only definePolicy takes it for the defaults.
  if (input === undefined) throw new InvalidOptionsError([NOTHING]);
  return definePolicy(input as PolicyInput, registry); // definePolicy checks what it gets
}

const NOTHING: Problem = {
  path: '',
  value: undefined,
  message: 'must be JSON text or an object',
  cure: 'Use {} for the defaults.',
};

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const cure = error instanceof SyntaxError ? `${error.message}.` : 'Give it JSON text.';
    throw new InvalidOptionsError([{ path: '', value: text, message: 'must be JSON', cure }]);
  }
}
