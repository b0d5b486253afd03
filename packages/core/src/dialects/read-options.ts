import type { KnownKeys } from '../fields/cures.ts';
import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { readSafely } from '../fields/read-options.ts';
import { FINITE_AT_LEAST_0, integerFrom } from '../fields/value-rules.ts';

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

/** Returns an option in seconds as milliseconds, `0 ≤ ms` unless the rule allows less; the fallback is in seconds, too. */
export function readSeconds(fields: Fields, key: string, fallback: number, rule: SecondsRule = {}): number {
  const { least = 0, finite = true } = rule;
  const value = fields.value(key) ?? fallback;
  const given = typeof value === 'number' ? value : Number.NaN;
  if (given === Infinity && !finite) return Infinity;
  // The largest finite numbers of seconds would be Infinity in milliseconds.
  if (Number.isFinite(given) && given >= least) return finiteProduct(given, 1_000);
  const kind = finite ? 'a finite number of seconds' : 'a number of seconds';
  fields.fail(key, `must be ${kind} ≥ ${least}`, 'Write seconds as a plain number: 2, not 2000 or "2s".');
  return fallback * 1_000;
}

/** Which numbers of seconds are accepted. */
export interface SecondsRule {
  /** @default 0 */
  readonly least?: number;
  /** Whether `Infinity` is refused. @default true */
  readonly finite?: boolean;
}

/** Returns a product of finite numbers that is finite, too: beyond the largest number it is that number. */
export function finiteProduct(one: number, other: number): number {
  return Math.min(one * other, Number.MAX_VALUE);
}

/** Reads an integer. */
export function readInteger(
  fields: Fields,
  key: string,
  fallback: number,
  least: number = -Infinity,
): number {
  if (isUnset(fields.value(key))) return fallback;
  const rule = integerFrom(least, `The default is ${fallback}.`);
  return fields.number(
    key,
    fallback,
    least === -Infinity ? { ...rule, message: 'must be an integer' } : rule,
  );
}

/** Reads a factor, `0 ≤ factor < Infinity`. */
export function readFactor(fields: Fields, key: string, fallback: number): number {
  if (isUnset(fields.value(key))) return fallback;
  return fields.number(key, fallback, {
    ...FINITE_AT_LEAST_0,
    cure: 'Use 1 for a constant delay, 2 to double it each time.',
  });
}

/** Returns the executions that a limit on retries allows: one more, and at least one. */
export function attemptsOf(retries: number): number {
  return Math.max(1, retries + 1);
}
