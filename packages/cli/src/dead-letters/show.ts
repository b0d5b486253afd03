import { fingerprint } from '@retry/core/failures';
import type { RunState } from '@retry/core/lifecycle';
import { isDeadLetter } from '@retry/core/lifecycle';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import { CliError } from '../errors.ts';
import type { Input, Report } from '../report.ts';
import { attemptsOf } from '../runs/attempts.ts';
import { noSuchRun } from '../runs/show.ts';
import { showText } from '../runs/show-text.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import { printable } from '../terminal/printable.ts';
import { wrap } from '../terminal/screen.ts';
import { commandOn } from '../terminal/shell-word.ts';

/** Shows a dead letter: its attempts, its error group, its stack, and what can be done with it. */
export async function showAction(input: Input<ConnectOptions>): Promise<Report> {
  const [id = ''] = input.args;
  const run = await withQueue(input, ({ queue }) => queue.get(id));
  if (run === undefined) throw noSuchRun(id);
  if (!isDeadLetter(run.state)) throw notDead(id, run.state);
  const now = input.environment.now();
  const attempts = attemptsOf(run, now);
  const error = run.errors.at(-1);
  const group = error === undefined ? undefined : fingerprint(error);
  return {
    json: instantsAsText({ run, attempts, ...(group !== undefined && { group }) }),
    text: (screen) => {
      const cause =
        group === undefined ? [] : [wrap(`group ${group.id}: ${printable(group.title)}`, screen.width)];
      const stack =
        error?.stack?.split('\n').map((line) => wrap(printable(line), screen.width, '    ')) ?? [];
      const next = `${commandOn('retry dlq redrive', id, '--apply')} sends it back to its lane.`;
      return [
        showText({ run, attempts, now }, screen),
        ...['', ...cause, ...stack.map((line) => screen.paint('quiet', line))],
        ...['', wrap(next, screen.width)],
      ].join('\n');
    },
  };
}

function notDead(id: string, state: RunState): CliError {
  const message = `The run ${id} is ${state}, and no dead letter. ${commandOn('retry runs show', id)} shows it.`;
  return new CliError('NO_SUCH_RUN', message);
}
