import type { VNode } from 'preact';
import type { AttemptRow } from '../../../api.ts';
import { duration } from '../../charts/figures.ts';
import { ErrorView } from '../../controls/shown.tsx';
import { Empty } from '../../controls/states.tsx';
import { type Column, Table } from '../../controls/table.tsx';

/** The attempts of a run, one row each. */
export function AttemptTable({ attempts }: { attempts: readonly AttemptRow[] }): VNode {
  if (attempts.length === 0) return <Empty>No failed attempt is recorded.</Empty>;
  return <Table caption="Attempts" rows={attempts} keyOf={keyOf} columns={COLUMNS} />;
}

function keyOf({ attempt, at, startedAt }: AttemptRow): string {
  return `${attempt} ${startedAt ?? ''} ${at ?? ''}`;
}

const COLUMNS: readonly Column<AttemptRow>[] = [
  { title: 'attempt', isNumber: true, cell: ({ attempt }) => attempt },
  { title: 'waited', isNumber: true, cell: ({ waitedMs }) => durationOf(waitedMs) },
  {
    title: 'ran',
    isNumber: true,
    cell: ({ durationMs, at }) => (at === undefined ? 'runs now' : durationOf(durationMs)),
  },
  { title: 'backed off', isNumber: true, cell: ({ backoffMs }) => durationOf(backoffMs) },
  { title: 'worker', cell: ({ worker }) => <bdi>{worker}</bdi> },
  {
    title: 'why it went on, or not',
    cell: ({ reason, stalledWith }) =>
      `${reason ?? ''}${stalledWith ? `, with ${stalledWith} other runs` : ''}`,
  },
  {
    title: 'error',
    cell: ({ error }) =>
      error === undefined ? null : (
        <details>
          <summary>
            <bdi>{`${error.name}: ${error.message.text.slice(0, 120)}`}</bdi>
          </summary>
          <ErrorView error={error} />
        </details>
      ),
  },
];

function durationOf(ms: number | undefined): string {
  return ms === undefined ? '' : duration(ms);
}
