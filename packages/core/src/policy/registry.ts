import type { Fields, Report } from '../fields/fields.ts';
import { isOptionsObject, readFields } from '../fields/fields.ts';
import { accepted } from '../fields/value-rules.ts';
import { read } from '../read.ts';
import type { Registry } from './strategy.ts';

/** Reads a registry: strategies and gates by name. */
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
    // Each function is checked where a policy uses its name.
    accepts: (value): value is Names => isPlain(value),
    message: 'must be an object',
    cure: 'Use functions by name: { name: (…) => … }.',
  });
}

/** Returns an own entry, never an inherited one like `constructor`. */
export function own<T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** Whether the value is an object of the user's, and no list, Map, regular expression or iterator. */
function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isOptionsObject(value);
}

/**
 * Returns the function itself, or the method of an object, bound to it; `undefined` for anything else. Objects of the language are nothing
 * else: the `test` of a regular expression is given text, and the `next` of an iterator returns no delay.
 */
export function methodOf(value: unknown, key: string): ((...args: never[]) => unknown) | undefined {
  if (typeof value === 'function') return value as (...args: never[]) => unknown; // the result is checked at each call
  const method = read(value, key);
  return typeof method === 'function' && accepted(isPlain, value) ? method.bind(value) : undefined;
}
