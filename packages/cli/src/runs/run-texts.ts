import type { RunState } from '@retry/core/lifecycle';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import type { RunView } from '@retry/worker';
import { ageText } from '../terminal/age.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen, Style } from '../terminal/screen.ts';
import type { Cell } from '../terminal/table.ts';
import { renderTable } from '../terminal/table.ts';

/** Returns a state in its colour. */
export function stateCell(state: RunState): Cell {
  return { text: state, style: styleOf(state) };
}

function styleOf(state: RunState): Style {
  if (state === 'completed') return 'good';
  if (isDeadLetter(state)) return 'bad';
  return isEnd(state) ? 'quiet' : 'accent';
}

/** Returns runs as a table. An age is the time since a run ended, or was submitted; when runs are due is shown where one is scheduled. */
export function runTable(runs: readonly RunView[], now: number, screen: Screen): string {
  const hasDue = runs.some(({ state }) => state === 'scheduled');
  const columns = [
    { title: 'run' },
    { title: 'state' },
    { title: 'attempt', align: 'right' },
    { title: 'age', align: 'right' },
    ...(hasDue ? ([{ title: 'due', align: 'right' }] as const) : []),
    { title: 'task and latest error' },
  ] as const;
  const rows = runs.map((run): readonly Cell[] => {
    const error = run.errors.at(-1);
    return [
      ...[printable(run.id), stateCell(run.state), String(run.attempt), ageCell(run, now)],
      ...(hasDue ? [dueText(run, now)] : []),
      printable(run.lane) + (error === undefined ? '' : ` ${errorLine(error)}`),
    ];
  });
  return renderTable(columns, rows, screen);
}

function ageCell({ endedAt, submittedAt, createdAt }: RunView, now: number): string {
  const since = endedAt ?? submittedAt ?? createdAt;
  return since === undefined ? '-' : ageText(now - since);
}

/** Returns when a scheduled run is due: `in 5m`, or `3m ago`. */
function dueText({ state, runAt }: RunView, now: number): string {
  if (state !== 'scheduled' || runAt === undefined) return '-';
  return runAt > now ? `in ${ageText(runAt - now)}` : `${ageText(now - runAt)} ago`;
}

/** Returns an error in one line. */
export function errorLine({ name, message }: { readonly name: string; readonly message: string }): string {
  const [first = ''] = message.split('\n', 1);
  return printable(first === '' ? name : `${name}: ${first}`);
}
