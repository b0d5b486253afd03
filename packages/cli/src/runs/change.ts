import { changeEach } from '../change-each.ts';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { CliError } from '../errors.ts';
import type { Action } from '../report.ts';

/** What a queue answers for one run. */
const RUNS = {
  key: 'runs',
  meanings: {
    cancelled: { text: 'cancelled', isDone: true },
    requested: { text: 'its worker was asked to cancel it', isDone: true },
    rescheduled: { text: 'rescheduled', isDone: true },
    refused: { text: 'refused: it does not wait', isDone: false },
    ended: { text: 'refused: it has ended', isDone: false },
    gone: { text: 'there is no such run', isDone: false },
  },
} as const;

/** Cancels runs: those that wait immediately, started ones by their workers. Exit status 1 unless all were. */
export const cancelAction: Action<ConnectOptions> = (input) =>
  changeEach(input, { ...RUNS, change: (queue, id) => queue.cancel(id) });

/** Lets scheduled runs start now. Exit status 1 unless all were scheduled. */
export const runNowAction: Action<ConnectOptions> = (input) =>
  changeEach(input, { ...RUNS, change: (queue, id) => queue.runNow(id) });

/** The options of `retry runs reschedule`. */
interface RescheduleCommandOptions extends ConnectOptions {
  /** Milliseconds from now. */
  readonly in?: number;
  /** Epoch milliseconds. */
  readonly at?: number;
}

/** Moves waiting runs to another start. Exit status 1 unless all waited. */
export const rescheduleAction: Action<RescheduleCommandOptions> = (input) => {
  const { in: delay, at: runAt } = input.options;
  if ((delay === undefined) === (runAt === undefined)) {
    throw new CliError('WRONG_USAGE', 'Give --in 10m, or --at 2026-05-01T09:00:00Z.');
  }
  return changeEach(input, { ...RUNS, change: (queue, id) => queue.reschedule(id, { delay, runAt }) });
};
