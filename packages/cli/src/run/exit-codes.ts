import { constants } from 'node:os';
import { InvalidArgumentError } from 'commander';

/** An exit status, or the name of the signal that ended a command. */
export type ExitCode = number | string;

/** The exit statuses that this program has for what happened to a command, as `timeout` and shells have them. */
export const RUN_EXIT = { timedOut: 124, notExecutable: 126, notFound: 127 } as const;

/** Reads `1,7,64-78,SIGKILL`; commander names the option in the error. */
export function exitCodesArgument(text: string): readonly ExitCode[] {
  return text.split(',').flatMap((part) => readPart(part.trim()));
}

function readPart(part: string): readonly ExitCode[] {
  if (Object.hasOwn(constants.signals, part)) return [part];
  const [, first = '', last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part) ?? [];
  const [from, to] = [Number(first || Number.NaN), Number(last || Number.NaN)];
  if (from >= 1 && from <= to && to <= 255) {
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  }
  throw new InvalidArgumentError('Write exit statuses from 1 to 255, ranges and signals: 1,7,64-78,SIGKILL.');
}
