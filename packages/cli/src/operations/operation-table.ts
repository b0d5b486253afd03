import type { Operation, OperationState } from '@retry/core/broker';
import { ageText } from '../terminal/age.ts';
import { wholeText } from '../terminal/counts.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen, Style } from '../terminal/screen.ts';
import { type Cell, type Column, renderTable } from '../terminal/table.ts';

const COLUMNS: readonly Column[] = [
  { title: 'operation' },
  { title: 'kind' },
  { title: 'state' },
  { title: 'done', align: 'right' },
  { title: 'age', align: 'right' },
  { title: 'note' },
];

const STYLES: Readonly<Record<OperationState, Style>> = {
  running: 'accent',
  paused: 'warning',
  cancelled: 'quiet',
  done: 'good',
};

/** Returns operations as a table, newest first. */
export function operationTable(operations: readonly Operation[], now: number, screen: Screen): string {
  const rows = operations.map((operation): readonly Cell[] => [
    printable(operation.id),
    operation.kind,
    { text: operation.state, style: STYLES[operation.state] },
    doneText(operation),
    ageText(now - operation.createdAt),
    printable([operation.by, operation.reason].filter((text) => text !== undefined).join(': ')),
  ]);
  return renderTable(COLUMNS, rows, screen, 'wrap');
}

/** Returns how much of an operation is done: `120/500`. */
export function doneText({ done, skipped, planned, isPlanExact }: Operation): string {
  const left = skipped === 0 ? '' : ` −${wholeText(skipped)}`;
  return `${wholeText(done)}/${wholeText(planned)}${isPlanExact ? '' : '+'}${left}`;
}
