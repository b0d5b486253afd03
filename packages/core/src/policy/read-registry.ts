import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import type { Registry } from './policy.ts';

/** Reads the registry beside a policy: two objects of functions by name. */
export function readRegistry(given: unknown, report: Report): Registry {
  const fields = readFields(given, 'registry', { keys: ['strategies', 'gates'], report });
  if (fields === undefined) return {};
  return {
    strategies: readNames<Registry['strategies']>(fields, 'strategies'),
    gates: readNames<Registry['gates']>(fields, 'gates'),
  };
}

function readNames<Names>(fields: Fields, key: string): Names | undefined {
  return fields.optional(key, {
    // What a name stands for is checked where a policy uses it.
    accepts: (value): value is Names => typeof value === 'object' && value !== null,
    message: 'must be an object',
    cure: 'Give functions by name: { name: (…) => … }.',
  });
}
