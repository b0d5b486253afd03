import type { LiveWorker } from '@retry/core/broker';
import type { VNode } from 'preact';
import { useLive } from '../../api/loaded.ts';
import { duration } from '../../charts/figures.ts';
import { Empty, Ready } from '../../controls/states.tsx';
import { type Column, Table } from '../../controls/table.tsx';
import { Heading } from '../../shell/heading.tsx';
import { Instant } from '../../shell/instants.tsx';

/** The workers that are alive, and what they work on. */
export function Workers(): VNode {
  return (
    <>
      <Heading>Workers</Heading>
      <Ready of={useLive('workers')}>
        {({ workers }) =>
          workers.length === 0 ? (
            <Empty>
              No worker is alive: no run starts until one is. Start a worker with the tasks of this queue.
            </Empty>
          ) : (
            <Table caption="Workers" rows={workers} keyOf={({ worker }) => worker} columns={COLUMNS} />
          )
        }
      </Ready>
    </>
  );
}

const COLUMNS: readonly Column<LiveWorker>[] = [
  { title: 'worker', cell: ({ worker }) => <bdi>{worker}</bdi> },
  { title: 'lanes', cell: ({ lanes }) => <bdi>{lanes.join(', ')}</bdi> },
  { title: 'host', cell: ({ facts }) => <bdi>{facts?.host}</bdi> },
  {
    title: 'runs, slots',
    isNumber: true,
    cell: ({ facts }) => facts && `${facts.slotsTaken} of ${facts.slots}`,
  },
  {
    title: 'timers late by',
    isNumber: true,
    cell: ({ facts: { eventLoopLagMs: lag } = {} }) => lag !== undefined && duration(lag),
  },
  { title: 'last seen', cell: ({ attendedAt }) => <Instant at={attendedAt} /> },
  { title: 'lapses', cell: ({ aliveUntil }) => <Instant at={aliveUntil} /> },
];
