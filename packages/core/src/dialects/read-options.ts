import type { Problem } from '../errors.ts';
import { PolicyError } from '../errors.ts';
import type { Fields, Report } from '../policy/fields.ts';
import { readFields } from '../policy/fields.ts';

/**
 * Reads another system's options: hands them to `read`, which reports what is wrong and goes on.
 *
 * @throws {PolicyError} when anything was reported; it lists every problem under that system's own names
 */
export function readOptions<T>(
  input: unknown,
  keys: readonly string[],
  read: (fields: Fields, report: Report) => T,
): T {
  const problems: Problem[] = [];
  const report: Report = (problem) => void problems.push(problem);
  const fields = readFields(input, '', { keys, report });
  const options = fields === undefined ? undefined : read(fields, report);
  if (fields === undefined || problems.length > 0) throw new PolicyError(problems);
  return options as T; // `read` ran, as there are fields
}

/** What an unset option is in Python and Ruby. */
export function isUnset(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Milliseconds of an option in seconds, `0 ≤ ms`; the fallback is in seconds too. */
export function readSeconds(fields: Fields, key: string, fallback: number, rule: SecondsRule = {}): number {
  const { least = 0, finite = true } = rule;
  const given = fields.value(key) ?? fallback;
  if (typeof given === 'number' && given >= least && (given < Infinity || !finite)) return given * 1_000;
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
  return fields.number(key, fallback, {
    accepts: (count) => Number.isInteger(count) && count >= least,
    message: least === -Infinity ? 'must be an integer' : `must be an integer ≥ ${least}`,
    cure: `The default is ${fallback}.`,
  });
}

/** A factor to multiply by, `0 ≤ factor < Infinity`. */
export function readFactor(fields: Fields, key: string, fallback: number): number {
  if (isUnset(fields.value(key))) return fallback;
  return fields.number(key, fallback, {
    accepts: (factor) => factor >= 0 && factor < Infinity,
    message: 'must be a finite number ≥ 0',
    cure: 'Use 1 for a steady delay, 2 to double it each time.',
  });
}

/** Executions that a limit on retries allows: one more, and never fewer than one. */
export function attemptsOf(retries: number): number {
  return Math.max(1, retries + 1);
}
