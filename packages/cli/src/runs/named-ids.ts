import { textProblem } from '@retry/core/broker/kit';
import { CliError } from '../errors.ts';

/**
 * Returns the ids that were given, each once. They are checked before the first run is changed: what was done to the others would not
 * be told.
 *
 * @throws {CliError} `WRONG_USAGE` for one that no run can have, such as a variable of a shell that is not set
 */
export function namedIds(args: readonly string[]): readonly string[] {
  const ids = [...new Set(args)];
  for (const id of ids) {
    const problem = textProblem(id);
    if (problem === undefined) continue;
    const cure = 'Nothing was changed: leave it out, and call again.';
    throw new CliError(
      'WRONG_USAGE',
      `An id ${problem}, got ${JSON.stringify(id).slice(0, MAX_SHOWN)}. ${cure}`,
    );
  }
  return ids;
}

const MAX_SHOWN = 80;
