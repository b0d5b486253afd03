import type { CancelAnswer, RescheduleAnswer } from '@retry/core/broker';
import type { Queue } from '@retry/worker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { namedIds } from '../named.ts';
import type { Action, Input, Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen, Style } from '../terminal/screen.ts';

type Answer = CancelAnswer | RescheduleAnswer;

/** What became of one run. */
interface Changed {
  readonly id: string;
  readonly answer: Answer;
}

/** What an answer means for people, and whether the run was changed. */
const ANSWERS = {
  cancelled: { text: 'cancelled', style: 'good', isDone: true },
  requested: { text: 'its worker was asked to cancel it', style: 'good', isDone: true },
  rescheduled: { text: 'rescheduled', style: 'good', isDone: true },
  refused: { text: 'refused: it does not wait', style: 'bad', isDone: false },
  ended: { text: 'refused: it has ended', style: 'bad', isDone: false },
  gone: { text: 'there is no such run', style: 'bad', isDone: false },
} as const satisfies Record<
  Answer,
  { readonly text: string; readonly style: Style; readonly isDone: boolean }
>;

/** Cancels runs: those that wait immediately, started ones by their workers. Exit status 1 unless all were. */
export const cancelAction: Action<ConnectOptions> = (input) => change(input, (queue, id) => queue.cancel(id));

/** Lets scheduled runs start now. */
export const runNowAction: Action<ConnectOptions> = (input) => change(input, (queue, id) => queue.runNow(id));

/** The options of `retry runs reschedule`. */
interface RescheduleCommandOptions extends ConnectOptions {
  /** Milliseconds from now. */
  readonly in?: number;
  /** Epoch milliseconds. */
  readonly at?: number;
}

/** Moves waiting runs to another start. */
export const rescheduleAction: Action<RescheduleCommandOptions> = (input) => {
  const { in: delay, at: runAt } = input.options;
  if ((delay === undefined) === (runAt === undefined)) {
    throw new CliError('WRONG_USAGE', 'Give --in 10m, or --at 2026-05-01T09:00:00Z.');
  }
  return change(input, (queue, id) => queue.reschedule(id, { delay, runAt }));
};

async function change(
  input: Input<ConnectOptions>,
  move: (queue: Queue, id: string) => Promise<Answer>,
): Promise<Report> {
  const ids = namedIds(input.args);
  const runs = await withQueue(input, ({ queue }) =>
    Promise.all(ids.map(async (id): Promise<Changed> => ({ id, answer: await move(queue, id) }))),
  );
  return {
    json: { runs },
    text: (screen) => runs.map((run) => changedText(run, screen)).join('\n'),
    exitCode: runs.every(({ answer }) => ANSWERS[answer].isDone) ? EXIT.fine : EXIT.found,
  };
}

function changedText({ id, answer }: Changed, { paint }: Screen): string {
  const { text, style } = ANSWERS[answer];
  return `${printable(id)}  ${paint(style, text)}`;
}
