import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GroupRow, GroupsAnswer } from '../../../api.ts';
import type { Client } from '../../api/client.ts';
import { type Loaded, useLive } from '../../api/loaded.ts';
import { Bars, Share } from '../../charts/bars.tsx';
import { count, percent } from '../../charts/figures.ts';
import { Empty, Ready } from '../../controls/states.tsx';
import { type Column, RowLink, Table } from '../../controls/table.tsx';
import { Heading } from '../../shell/heading.tsx';
import { Instant } from '../../shell/instants.tsx';
import { linkTo } from '../../shell/route.ts';
import { useSession } from '../../shell/session.ts';

/** Dead letters by error group, the largest first. */
export function Failures(): VNode {
  return (
    <>
      <Heading>Failures</Heading>
      <Ready of={useLive('groups')}>{(page) => <Groups page={page} />}</Ready>
    </>
  );
}

function Groups({ page }: { page: GroupsAnswer }): VNode {
  const [wanted, setWanted] = useState(0);
  const { data: more = [], problem } = useFurther(page, wanted);
  const next = (more.at(-1) ?? page).next;
  const rows = distinct([page, ...more].flatMap(({ groups }) => groups));
  if (rows.length === 0)
    return <Empty>No dead letters. Runs that fail for good will be listed here, by cause.</Empty>;
  return (
    <>
      <p class="lead">{`${count(page.deadLetters)} dead letters in ${rows.length}${next === undefined ? '' : ' and more'} groups`}</p>
      <Table caption="Error groups" rows={rows} keyOf={keyOf} columns={COLUMNS} />
      {next === undefined ? null : (
        <button type="button" onClick={() => setWanted(more.length + 1)}>
          More groups
        </button>
      )}
      {problem === undefined ? null : <p class="error">{problem}</p>}
    </>
  );
}

/** The pages after the first one, which are read anew whenever that changes; meanwhile those that were read before. */
function useFurther(page: GroupsAnswer, wanted: number): Loaded<readonly GroupsAnswer[]> {
  const { client } = useSession();
  const [found, setFound] = useState<Loaded<readonly GroupsAnswer[]>>({});
  const asked = useRef(0);
  const shown = useRef(0);
  useEffect(() => {
    asked.current += 1;
    const mine = asked.current;
    const show = (change: (old: typeof found) => typeof found): void => {
      if (mine < shown.current) return;
      shown.current = mine;
      setFound(change);
    };
    readFurther(client, page.next, wanted).then(
      (data) => show(() => ({ data })),
      ({ message }: Error) => show((old) => ({ ...old, problem: message })),
    );
  }, [page, wanted]);
  return found;
}

async function readFurther(
  client: Client,
  after: string | undefined,
  pages: number,
): Promise<readonly GroupsAnswer[]> {
  if (pages === 0 || after === undefined) return [];
  const page = await client.get('groups', { query: { after } });
  return [page, ...(await readFurther(client, page.next, pages - 1))];
}

/** A group may have moved to another page since that was read: the first page is the newest. */
function distinct(groups: readonly GroupRow[]): readonly GroupRow[] {
  const seen = new Set<string>();
  return groups.filter((group) => {
    const isFirst = !seen.has(keyOf(group));
    seen.add(keyOf(group));
    return isFirst;
  });
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
