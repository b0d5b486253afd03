import { type DialectWarning, warnIf } from '../dialect.ts';
import type { CmdxLine } from './declarations.ts';

/**
 * Returns the warnings about valid declarations.
 *
 * @param lines - all declarations
 * @param used - those that CMDx reads
 */
export function warnCmdx(
  lines: readonly CmdxLine[],
  used: readonly CmdxLine[],
): readonly (DialectWarning | undefined)[] {
  return [
    ...lines.flatMap((line) => warnLine(line, used.includes(line))),
    warnIf(!used.some(({ exceptions }) => exceptions.length > 0), {
      code: 'RETRIES_NOTHING',
      path: 'retry_on',
      message: 'it lists no exception, so nothing is retried',
      cure: 'List the expected exceptions.',
    }),
    warnIf(used.filter(({ exceptions }) => exceptions.length > 0).length > 1, {
      code: 'ONE_POLICY',
      path: 'retry_on',
      message: 'these lines form one policy: the last limit, delay and gate apply to every exception',
      cure: 'Write one line, or one for each task.',
    }),
  ];
}

function warnLine({ path, settings }: CmdxLine, isUsed: boolean): readonly (DialectWarning | undefined)[] {
  const { attempts, delayMs = 500, jitter, block } = settings;
  const strategy = jitter ?? block;
  return [
    warnIf(!isUsed, {
      code: 'WITHOUT_EFFECT',
      path,
      message: 'CMDx ignores these options, as the line lists no exception',
      cure: 'Repeat an exception on the line.',
    }),
    warnIf(isUsed && attempts === 1, {
      code: 'RUNS_ONCE',
      path: `${path}.limit`,
      message: 'a limit of 0 or less runs once and never retries',
      cure: 'Leave retry_on out, or raise the limit.',
    }),
    warnIf(isUsed && (strategy?.type === 'ignored' || (strategy !== undefined && delayMs <= 0)), {
      code: 'WITHOUT_EFFECT',
      path: `${path}.${jitter === undefined ? 'block' : 'jitter'}`,
      message: delayMs <= 0 ? 'without a positive delay there is no wait' : 'the object has no call',
      cure: delayMs <= 0 ? 'Write a delay.' : 'Add a method call(attempt, delay).',
    }),
  ];
}
