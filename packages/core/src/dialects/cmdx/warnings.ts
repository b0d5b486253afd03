import { type DialectWarning, warnIf } from '../dialect.ts';
import { type CmdxLine, type CmdxSettings, unite } from './declarations.ts';

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
  const united = unite(used);
  return [
    ...lines.map((line) => warnIgnored(line, used.includes(line))),
    warnLimit(used),
    ...used.flatMap((line) => warnStrategy(line, united)),
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

function warnIgnored({ path }: CmdxLine, isUsed: boolean): DialectWarning | undefined {
  return warnIf(!isUsed, {
    code: 'WITHOUT_EFFECT',
    path,
    message: 'CMDx ignores these options, as the line lists no exception',
    cure: 'Repeat an exception on the line.',
  });
}

/** Warns of a limit that allows one run: that of the last line that has one, which applies to all. */
function warnLimit(used: readonly CmdxLine[]): DialectWarning | undefined {
  const last = used.filter(({ settings }) => settings.limit !== undefined).at(-1);
  return warnIf(last?.settings.limit === 1, {
    code: 'RUNS_ONCE',
    path: `${last?.path}.limit`,
    message: 'a limit of 0 or less runs once and never retries',
    cure: 'Leave retry_on out, or raise the limit.',
  });
}

/** Warns of the strategies of a line that nothing asks. The delay, and the strategy that is asked, may be those of another line. */
function warnStrategy(
  { path, settings }: CmdxLine,
  united: CmdxSettings,
): readonly (DialectWarning | undefined)[] {
  const { jitter, block } = settings;
  const strategy = jitter ?? block;
  const waits = (united.delay ?? 500) > 0;
  return [
    warnIf(strategy !== undefined && (strategy.type === 'ignored' || !waits), {
      code: 'WITHOUT_EFFECT',
      path: `${path}.${jitter === undefined ? 'block' : 'jitter'}`,
      message: waits ? 'the object has no call' : 'without a positive delay there is no wait',
      cure: waits ? 'Add a method call(attempt, delay).' : 'Write a delay.',
    }),
    warnIf(block !== undefined && united.jitter !== undefined && waits, {
      code: 'WITHOUT_EFFECT',
      path: `${path}.block`,
      message: 'jitter applies in its place',
      cure: 'Write one of them.',
    }),
  ];
}
