import type { KnownKeys } from '../fields/cures.ts';
import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { readSafely } from '../fields/read-options.ts';

/**
 * Reads another system's options with `read`, which reports problems and continues.
 *
 * @param subject - what the options are, as an error says it
 * @throws {InvalidOptionsError} listing every reported problem under that system's own names
 */
export function readOptions<T>(
  input: unknown,
  known: KnownKeys,
  read: (fields: Fields, report: Report) => T,
  subject: string = 'policy',
): T {
  return readSafely(input, subject, (report) => {
    const fields = readFields(input, '', { ...known, report });
    return fields && read(fields, report);
  });
}

/** Returns the cures of keys that were written one level too high: beside the object they belong in. */
export function belongIn(key: string, inner: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(inner.map((name) => [name, `It belongs in ${key}.`]));
}

/** Returns whether an option is unset: `null` is Python's `None` and Ruby's `nil`. */
export function isUnset(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Returns a product of finite numbers that is finite, too: beyond the largest number it is that number. */
export function finiteProduct(one: number, other: number): number {
  return Math.min(one * other, Number.MAX_VALUE);
}
