import type { Problem } from '../errors.ts';
import { InvalidOptionsError } from '../errors.ts';
import type { KnownKeys } from './cures.ts';
import type { Fields, Report } from './fields.ts';
import { readFields, unreadable } from './fields.ts';
import { accepted } from './value-rules.ts';

/** What {@link readOptions} reads. */
interface OptionsRule extends KnownKeys {
  readonly subject: string;
  /** What is often given by itself in the place of the options: its own keys would all be reported. */
  readonly bare?: { readonly accepts: (value: unknown) => boolean; readonly cure: string };
}

/**
 * Reads the options of one call or factory: unknown keys and every wrong value are one error.
 *
 * @param subject - whose options they are, for the error: `queue`, `submit`
 * @param read - makes the settings; what it reports by `fields.fail` and the readers is collected
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
 * Reads whatever was given: what is reported is one error, and so is what throws when it is read.
 *
 * @param read - makes the settings; `undefined` only where it has reported a problem
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
    if (problems.length === 0) return settings as Settings; // what is undefined otherwise was reported
  } catch (thrown) {
    if (thrown instanceof InvalidOptionsError) throw thrown;
    problems.push(unreadable('', input, thrown));
  }
  throw new InvalidOptionsError(problems, subject);
}
