import type { Problem } from '../errors.ts';
import { InvalidOptionsError, isRetryError } from '../errors.ts';
import type { KnownKeys } from './cures.ts';
import type { Fields, Report } from './fields.ts';
import { readFields, unreadable } from './fields.ts';
import { accepted } from './value-rules.ts';

/** The options of one function: its subject and its keys. */
interface OptionsRule extends KnownKeys {
  /** What the options are of, as errors say it: `queue`, `submit`. */
  readonly subject: string;
  /** A value that is often passed instead of the options, reported as one problem instead of one for each of its keys. */
  readonly bare?: { readonly accepts: (value: unknown) => boolean; readonly cure: string };
}

/**
 * Reads the options of one function. Unknown keys and wrong values are reported in one error.
 *
 * @param subject - what the options are of, for the error: `queue`, `submit`
 * @param read - returns the settings; the problems that it and the readers report are collected
 * @throws {InvalidOptionsError} listing every problem
 */
export function readOptions<Settings>(
  input: unknown,
  { subject, bare, ...known }: OptionsRule,
  read: (fields: Fields, report: Report) => Settings,
): Settings {
  return readSafely(input, subject, (report) => {
    if (bare !== undefined && accepted(bare.accepts, input)) {
      report({ path: '', value: input, message: 'must be an object of options', cure: bare.cure });
      return undefined;
    }
    const fields = readFields(input === undefined ? {} : input, '', { ...known, report });
    return fields && read(fields, report);
  });
}

/**
 * Reads any input. All reported problems are one error; an error thrown while reading is a problem, too.
 *
 * @param read - returns the settings; `undefined` only if it has reported a problem
 * @throws {InvalidOptionsError} listing every problem
 */
export function readSafely<Settings>(
  input: unknown,
  subject: string,
  read: (report: Report) => Settings | undefined,
): Settings {
  const problems: Problem[] = [];
  try {
    const settings = read((problem) => void problems.push(problem));
    if (problems.length === 0) return settings as Settings; // undefined only if a problem was reported
  } catch (thrown) {
    if (isRetryError(thrown, 'INVALID_OPTIONS')) throw thrown;
    problems.push(unreadable('', input, thrown));
  }
  throw new InvalidOptionsError(problems, subject);
}
