import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { read } from '../read.ts';
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

/** Looks a name up without falling for `constructor` and its kin. */
export function own<T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** The function itself, or an object's method bound to it; `undefined` for anything else. */
export function methodOf(value: unknown, key: string): ((...args: never[]) => unknown) | undefined {
  if (typeof value === 'function') return value as (...args: never[]) => unknown; // any function may be called
  const method = read(value, key);
  return typeof method === 'function' ? method.bind(value) : undefined;
}
