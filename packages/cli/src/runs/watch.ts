import { formatDuration } from '@retry/core';
import { isEnd } from '@retry/core/lifecycle';
import type { RunView } from '@retry/worker';
import { pause } from '../clock.ts';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import type { CliEnvironment } from '../environment.ts';
import { EXIT } from '../exit.ts';
import type { Input, Report } from '../report.ts';
import { printableOutput } from '../terminal/printable.ts';
import { createScreen } from '../terminal/screen.ts';
import { errorLine, stateCell } from './run-texts.ts';
import { noSuchRun, shownRun } from './show.ts';

/** The options of `retry runs watch`. */
interface WatchOptions extends ConnectOptions {
  readonly color: boolean;
  /** Milliseconds between two polls. */
  readonly every: number;
  /** The longest time to watch, in milliseconds. */
  readonly timeout?: number;
}

/** Prints a line whenever a run moves, until it has ended; then the run. Exit status 1 unless it has completed. */
export async function watchAction(input: Input<WatchOptions>): Promise<Report> {
  const { args, options, environment } = input;
  const [id = ''] = args;
  const print = options.json === true ? () => {} : printer(environment, options);
  const run = await withQueue(input, async ({ queue }) => {
    const until = performance.now() + (options.timeout ?? Infinity);
    for (let seen = ''; ; ) {
      const found = await queue.get(id);
      if (found === undefined) throw noSuchRun(id);
      const now = `${found.state} ${found.epoch} ${found.runAt}`;
      if (now !== seen) print(found);
      seen = now;
      if (isEnd(found.state) || performance.now() >= until) return found;
      await pause(Math.min(options.every, until - performance.now()));
    }
  });
  const shown = shownRun(run, environment.now());
  const exitCode = run.state === 'completed' ? EXIT.fine : EXIT.found;
  if (isEnd(run.state)) return { ...shown, exitCode };
  const late = `It has not ended within ${formatDuration(options.timeout ?? 0)}; it is not watched any longer.`;
  return { ...shown, exitCode, text: (screen) => `\n${shown.text(screen)}`, notes: () => late };
}

function printer(
  { stdout, env, now }: CliEnvironment,
  { color }: Pick<WatchOptions, 'color'>,
): (run: RunView) => void {
  const { paint } = createScreen(stdout, env, { color });
  return (run) => {
    const cell = stateCell(run.state);
    const state = typeof cell === 'string' ? cell : paint(cell.style, cell.text.padEnd(11));
    const clock = paint('quiet', new Date(now()).toISOString().slice(11, -1));
    const error = run.errors.at(-1);
    const why = error === undefined || run.state === 'completed' ? '' : `  ${errorLine(error)}`;
    stdout.write(printableOutput(`${clock}  ${state}  attempt ${run.attempt}${why}\n`));
    if (isEnd(run.state)) stdout.write('\n');
  };
}
