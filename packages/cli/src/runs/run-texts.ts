import type { RunState } from '@retry/core/lifecycle';
import type { RunView } from '@retry/worker';
import { ageText } from '../terminal/age.ts';
import { printable } from '../terminal/printable.ts';
import type { Style } from '../terminal/screen.ts';
import type { Cell, Column } from '../terminal/table.ts';

const STYLES: Readonly<Record<RunState, Style>> = {
  unsubmitted: 'quiet',
  submitted: 'accent',
  scheduled: 'accent',
  started: 'accent',
  completed: 'good',
  failed: 'bad',
  stalled: 'bad',
  rateLimited: 'bad',
  cancelled: 'quiet',
  dropped: 'quiet',
};

/** Returns a state in its colour. */
export function stateCell(state: RunState): Cell {
  return { text: state, style: STYLES[state] };
}

/** The columns of a list of runs. */
export const RUN_COLUMNS: readonly Column[] = [
  { title: 'run' },
  { title: 'state' },
  { title: 'attempt', align: 'right' },
  { title: 'age', align: 'right' },
  { title: 'task and latest error' },
];

/** Returns a run as a row of a list. Its age is the time since it ended, or was submitted. */
export function runCells(run: RunView, now: number): readonly Cell[] {
  const since = run.endedAt ?? run.submittedAt ?? run.createdAt;
  const error = run.errors.at(-1);
  return [
    printable(run.id),
    stateCell(run.state),
    String(run.attempt),
    since === undefined ? '-' : ageText(now - since),
    printable(run.lane) + (error === undefined ? '' : ` ${errorLine(error)}`),
  ];
}

/** Returns an error in one line. */
export function errorLine({ name, message }: { readonly name: string; readonly message: string }): string {
  const [first = ''] = message.split('\n', 1);
  return printable(first === '' ? name : `${name}: ${first}`);
}
