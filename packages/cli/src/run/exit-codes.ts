import { constants } from 'node:os';
import { InvalidArgumentError } from 'commander';
import type { Report } from '../report.ts';

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

/** Returns the exit status by which shells show the end by a signal: 128 and its number. */
export function statusOfSignal(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0); // an unknown name has no number
}

/** Signals by which this process can end as its command did; others would write a core dump, or mean something to Node. */
const PASSED: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGALRM', 'SIGKILL'];

/** Returns how this process ends by a signal: as a report has it. */
export function endBySignal(signal: string): Pick<Report, 'exitCode' | 'signal'> {
  return { exitCode: statusOfSignal(signal), ...(PASSED.includes(signal) && { signal }) };
}
