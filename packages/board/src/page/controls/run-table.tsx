import type { VNode } from 'preact';
import type { RunRow } from '../../api.ts';
import { Instant } from '../shell/instants.tsx';
import { linkTo } from '../shell/route.ts';
import { type Column, RowLink, Table } from './table.tsx';

/** Runs, each of which opens. */
export function RunTable({ runs }: { runs: readonly RunRow[] }): VNode {
  return <Table caption="Runs" rows={runs} keyOf={({ id }) => id} columns={COLUMNS} />;
}

const COLUMNS: readonly Column<RunRow>[] = [
  { title: 'run', cell: ({ id }) => <RowLink href={linkTo(['runs', id])}>{id}</RowLink> },
  { title: 'task', cell: ({ task, version }) => <bdi>{`${task} ${version}`}</bdi> },
  { title: 'state', cell: ({ state }) => <span class={`state ${state}`}>{state}</span> },
  { title: 'attempt', isNumber: true, cell: ({ attempt }) => attempt },
  {
    title: 'when',
    cell: ({ state, endedAt, startedAt, runAt, submittedAt }) => (
      <Instant at={state === 'scheduled' ? runAt : (endedAt ?? startedAt ?? submittedAt)} />
    ),
  },
  {
    title: 'latest error',
    cell: ({ error }) => (error === undefined ? null : <bdi>{`${error.name}: ${error.message}`}</bdi>),
  },
];
