import type { VNode } from 'preact';
import type { GroupRow, GroupsAnswer } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { Bars, Share } from '../../charts/bars.tsx';
import { count, percent } from '../../charts/figures.ts';
import { Empty, Ready } from '../../controls/states.tsx';
import { type Column, RowLink, Table } from '../../controls/table.tsx';
import { Heading } from '../../shell/heading.tsx';
import { Instant } from '../../shell/instants.tsx';
import { linkTo } from '../../shell/route.ts';

/** Dead letters by error group, the largest first. */
export function Failures({ after }: { after: string }): VNode {
  return (
    <>
      <Heading>Failures</Heading>
      <Ready of={useLive('groups', { query: { after } })}>{(page) => <Groups page={page} />}</Ready>
    </>
  );
}

function Groups({ page: { groups, deadLetters, next } }: { page: GroupsAnswer }): VNode {
  if (deadLetters === 0)
    return <Empty>No dead letters. Runs that fail for good will be listed here, by cause.</Empty>;
  return (
    <>
      <p class="lead">{`${count(deadLetters)} dead letters`}</p>
      <Table caption="Error groups" rows={groups} keyOf={keyOf} columns={COLUMNS} />
      {next === undefined ? null : <a href={linkTo(['failures'], { after: next })}>More groups</a>}
    </>
  );
}

function keyOf({ lane, id }: GroupRow): string {
  return `${lane} ${id}`;
}

const COLUMNS: readonly Column<GroupRow>[] = [
  {
    title: 'error',
    cell: ({ lane, id, title }) => (
      <RowLink href={linkTo(['failures', lane, id])}>{title || 'without a title'}</RowLink>
    ),
  },
  { title: 'task', cell: ({ task, version }) => <bdi>{`${task} ${version}`}</bdi> },
  { title: 'dead letters', isNumber: true, cell: (group) => count(group.count) },
  {
    title: 'share',
    cell: ({ share }) => (
      <span class="shared">
        <Share share={share} /> {percent(share)}
      </span>
    ),
  },
  {
    title: 'trend',
    cell: ({ trend }) =>
      trend === undefined ? null : (
        <Bars size="small" label={`trend: ${trend.counts.join(', ')}`} counts={trend.counts} />
      ),
  },
  { title: 'first seen', cell: ({ firstSeenAt }) => <Instant at={firstSeenAt} /> },
  { title: 'last seen', cell: ({ lastSeenAt }) => <Instant at={lastSeenAt} /> },
  { title: 'attempts spent', isNumber: true, cell: ({ attempts }) => count(attempts) },
];
