import { textProblem } from '@retry/core/broker/kit';
import { CliError } from './errors.ts';

/**
 * Returns the ids that were given, each once.
 *
 * @throws {CliError} `WRONG_USAGE` for one that no run can have, such as a variable of a shell that is not set
 */
export function namedIds(args: readonly string[]): readonly string[] {
  return eachOnce(args, (id) => {
    const problem = textProblem(id);
    if (problem === undefined) return undefined;
    return `An id ${problem}, got ${shown(id)}. Nothing was changed: leave it out, and call again.`;
  });
}

/** Returns the lanes that were given, each once. @throws {CliError} `WRONG_USAGE` for one that no task can have */
export function namedLanes(args: readonly string[]): readonly string[] {
  return eachOnce(args, (lane) => {
    if (textProblem(lane) === undefined && /^[^@]+@[^@]+$/.test(lane)) return undefined;
    const cure = 'Write the name and the version of the task, as retry lanes ls does: send-email@1.';
    return `${shown(lane)} is no lane, and nothing was changed. ${cure}`;
  });
}

/** All are checked before the first is changed: what was done to the others would not be said. */
function eachOnce(
  args: readonly string[],
  refusalOf: (arg: string) => string | undefined,
): readonly string[] {
  const [refusal] = args.flatMap((arg) => refusalOf(arg) ?? []);
  if (refusal !== undefined) throw new CliError('WRONG_USAGE', refusal);
  return [...new Set(args)];
}

const MAX_SHOWN = 80;

function shown(arg: string): string {
  return JSON.stringify(arg).slice(0, MAX_SHOWN);
}
