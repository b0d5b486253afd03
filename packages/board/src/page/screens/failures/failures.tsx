import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { GroupRow, GroupsAnswer } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { Bars, Share } from '../../charts/bars.tsx';
import { count, percent } from '../../charts/figures.ts';
import { Empty, Ready } from '../../controls/states.tsx';
import { type Column, RowLink, Table } from '../../controls/table.tsx';
import { Instant } from '../../shell/instants.tsx';
import { linkTo } from '../../shell/route.ts';
import { useSession } from '../../shell/session.ts';

/** Dead letters by error group, the largest first. */
export function Failures(): VNode {
  return (
    <>
      <h1>Failures</h1>
      <Ready of={useLive('groups')}>{(page) => <Groups page={page} />}</Ready>
    </>
  );
}

function Groups({ page }: { page: GroupsAnswer }): VNode {
  const { client } = useSession();
  const [more, setMore] = useState<readonly GroupsAnswer[]>([]);
  const [problem, setProblem] = useState('');
  const next = (more.at(-1) ?? page).next;
  const rows = distinct([page, ...more].flatMap(({ groups }) => groups));
  const load = (after: string): void => {
    client.get('groups', { query: { after } }).then(
      (answer) => setMore([...more, answer]),
      (error: Error) => setProblem(error.message),
    );
  };
  if (rows.length === 0)
    return <Empty>No dead letters. Runs that fail for good will be listed here, by cause.</Empty>;
  return (
    <>
      <p class="lead">{`${count(page.deadLetters)} dead letters in ${rows.length}${next === undefined ? '' : ' and more'} groups`}</p>
      <Table caption="Error groups" rows={rows} keyOf={keyOf} columns={COLUMNS} />
      {next === undefined ? null : (
        <button type="button" onClick={() => load(next)}>
          More groups
        </button>
      )}
      {problem === '' ? null : <p class="error">{problem}</p>}
    </>
  );
}

/** A group may have moved to another page since that was read. */
function distinct(groups: readonly GroupRow[]): readonly GroupRow[] {
  return [...new Map(groups.map((group) => [keyOf(group), group])).values()];
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
