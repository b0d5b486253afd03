import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { readSafely } from '../fields/read-options.ts';
import { FINITE_AT_LEAST_0, integerFrom } from '../fields/value-rules.ts';

/**
 * Reads another system's options: hands them to `read`, which reports what is wrong and goes on.
 *
 * @throws {InvalidOptionsError} when anything was reported; it lists every problem under that system's own names
 */
export function readOptions<T>(
  input: unknown,
  keys: readonly string[],
  read: (fields: Fields, report: Report) => T,
): T {
  return readSafely(input, 'policy', (report) => {
    const fields = readFields(input, '', { keys, report });
    return fields && read(fields, report);
  });
}

/** What an unset option is in Python and Ruby. */
export function isUnset(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Milliseconds of an option in seconds, `0 ≤ ms`; the fallback is in seconds too. */
export function readSeconds(fields: Fields, key: string, fallback: number, rule: SecondsRule = {}): number {
  const { least = 0, finite = true } = rule;
  const value = fields.value(key) ?? fallback;
  const given = typeof value === 'number' ? value : Number.NaN;
  if (given === Infinity && !finite) return Infinity;
  // The largest finite numbers of seconds are more milliseconds than a number can hold.
  if (Number.isFinite(given) && given >= least) return Math.min(given * 1_000, Number.MAX_VALUE);
  const kind = finite ? 'a finite number of seconds' : 'a number of seconds';
  fields.fail(key, `must be ${kind} ≥ ${least}`, 'Write seconds as a plain number: 2, not 2000 or "2s".');
  return fallback * 1_000;
}

interface SecondsRule {
  /** @default 0 */
  readonly least?: number;
  /** Whether `Infinity` is refused. @default true */
  readonly finite?: boolean;
}

/** Whole number of an option. */
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

/** A factor to multiply by, `0 ≤ factor < Infinity`. */
export function readFactor(fields: Fields, key: string, fallback: number): number {
  if (isUnset(fields.value(key))) return fallback;
  return fields.number(key, fallback, {
    ...FINITE_AT_LEAST_0,
    cure: 'Use 1 for a steady delay, 2 to double it each time.',
  });
}

/** Executions that a limit on retries allows: one more, and never fewer than one. */
export function attemptsOf(retries: number): number {
  return Math.max(1, retries + 1);
}
