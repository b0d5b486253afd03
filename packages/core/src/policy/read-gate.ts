import type { Fields } from '../fields/fields.ts';
import { ASYNC_CURE, isAsync, MUST_BE_SYNCHRONOUS } from '../fields/synchronous.ts';
import type { Gate, Policy, Registry } from './policy.ts';
import { methodOf, own } from './read-backoff.ts';

/** Reads `retryIf`: a function, an object with `test`, or a name in the registry. */
export function readGate(fields: Fields, registry: Registry): Policy['retryIf'] {
  const given = fields.value('retryIf');
  if (given === undefined) return undefined;
  const isName = typeof given === 'string';
  const test = methodOf(isName ? own(registry.gates, given) : given, 'test') as Gate | undefined; // checked at each call
  if (test === undefined) {
    const cure = `Pass { gates: { name: (error, { attempt }) => boolean } } for names.`;
    fields.fail('retryIf', 'must be a function, an object with test, or a name in the registry', cure);
    return undefined;
  }
  if (isAsync(test)) fields.fail('retryIf', MUST_BE_SYNCHRONOUS, ASYNC_CURE);
  return Object.freeze({ ...(isName && { name: given }), test });
}
