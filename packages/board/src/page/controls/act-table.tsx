import type { VNode } from 'preact';
import type { Act } from '../../api.ts';
import { Instant } from '../shell/instants.tsx';
import { linkTo } from '../shell/route.ts';
import { type Column, Table } from './table.tsx';

/** What visitors did: when, who, what, on what, why, and what came of it. */
export function ActTable({ caption, acts }: { caption: string; acts: readonly Act[] }): VNode {
  return <Table caption={caption} rows={acts} keyOf={keyOf} columns={COLUMNS} />;
}

function keyOf({ at, kind, target, by, reason }: Act): string {
  return [at, kind, target, by, reason].join(' ');
}

const COLUMNS: readonly Column<Act>[] = [
  { title: 'when', cell: ({ at }) => <Instant at={at} /> },
  { title: 'who', cell: ({ by }) => <bdi>{by}</bdi> },
  { title: 'what', cell: ({ kind }) => kind.replace('-', ' ') },
  {
    title: 'on',
    cell: ({ on, target }) => {
      if (on === 'run') return <RunLink id={target} />;
      return <bdi>{on === 'lane' ? target.replace(/^all$/, 'all lanes') : `${on} ${target}`}</bdi>;
    },
  },
  { title: 'why', cell: ({ reason }) => <bdi>{reason}</bdi> },
  {
    title: 'came of it',
    cell: ({ on, answer, made }) => (
      <>
        {answer} {made === undefined ? null : on === 'run' ? <RunLink id={made} /> : <bdi>{made}</bdi>}
      </>
    ),
  },
];

function RunLink({ id }: { id: string }): VNode {
  return (
    <a href={linkTo(['runs', id])} dir="auto">
      {id}
    </a>
  );
}
