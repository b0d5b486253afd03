import type { RunView } from '@retry/worker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import { CliError } from '../errors.ts';
import type { Input, Report } from '../report.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import { attemptsOf } from './attempts.ts';
import { showText } from './show-text.ts';

/** Shows a run, one row per attempt. */
export async function showAction(input: Input<ConnectOptions>): Promise<Report> {
  const [id = ''] = input.args;
  const run = await withQueue(input, ({ queue }) => queue.get(id));
  if (run === undefined) throw noSuchRun(id);
  return shownRun(run, input.environment.now());
}

/** Returns the report of one run. */
export function shownRun(run: RunView, now: number): Report {
  const attempts = attemptsOf(run, now);
  return {
    json: instantsAsText({ run, attempts }),
    text: (screen) => showText({ run, attempts, now }, screen),
  };
}

/** Returns the error for an id that no run has. */
export function noSuchRun(id: string): CliError {
  const cure = 'It never was, or is forgotten: brokers keep the latest 1000 that completed.';
  return new CliError('NO_SUCH_RUN', `There is no run ${id}. ${cure}`);
}
